import type { SharingHistory } from '../../share/prefill/ports.ts'
import type { Database } from '../database/tables.ts'

export function createSharingHistory({ reader }: Database): SharingHistory {
  return {
    disclosures(candidateId, limit, before) {
      const newest = reader
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
        .orderBy('disclosure.disclosed_at', 'desc')
        .orderBy('disclosure.id', 'desc')
        .limit(limit)
      if (before === undefined) return newest.execute()
      return newest
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('disclosure.disclosed_at', 'disclosure.id'), '<', tuple(before.at, before.id)),
        )
        .execute()
    },

    applications(candidateId, limit, before) {
      const newest = reader
        .selectFrom('prefilled_applications as application')
        .innerJoin('oauth_clients as client', 'client.id', 'application.client_id')
        .innerJoin('advertisers as advertiser', 'advertiser.id', 'application.advertiser_id')
        .select([
          'application.id',
          'client.name as clientName',
          'advertiser.name as advertiserName',
          'application.position_title as positionTitle',
          'application.created_at as createdAt',
          'application.completed_at as completedAt',
        ])
        .where('application.candidate_id', '=', candidateId)
        .orderBy('application.created_at', 'desc')
        .orderBy('application.id', 'desc')
        .limit(limit)
      if (before === undefined) return newest.execute()
      return newest
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('application.created_at', 'application.id'), '<', tuple(before.at, before.id)),
        )
        .execute()
    },
  }
}
