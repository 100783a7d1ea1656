import type { SharingHistory } from '../../share/prefill/ports.ts'
import { newestBefore } from '../database/newest-before.ts'
import type { Database } from '../database/tables.ts'
import { startedApplications } from '../people/own-applications.ts'

export function createSharingHistory({ reader }: Database): SharingHistory {
  return {
    disclosures(candidateId, limit, before) {
      const rows = reader
        .selectFrom('disclosures as disclosure')
        .innerJoin('oauth_clients as client', 'client.id', 'disclosure.client_id')
        .leftJoin('advertisers as advertiser', 'advertiser.id', 'disclosure.advertiser_id')
        .select([
          'disclosure.id',
          'disclosure.kind',
          'client.name as clientName',
          'advertiser.name as advertiserName',
          'disclosure.categories',
          'disclosure.disclosed_at as disclosedAt',
        ])
        .where('disclosure.candidate_id', '=', candidateId)
      const start = before && ([before.at, before.id] as const)
      return newestBefore(rows, ['disclosure.disclosed_at', 'disclosure.id'], start, limit).execute()
    },

    applications: (candidateId, limit, before) =>
      startedApplications(reader, candidateId, before && [before.at, before.id], limit)
        .select([
          'application.id',
          'client.name as clientName',
          'advertiser.name as advertiserName',
          'advertiser.logo_hash as logoHash',
          'application.position_title as positionTitle',
          'application.created_at as createdAt',
          'application.completed_at as completedAt',
        ])
        .execute(),
  }
}
