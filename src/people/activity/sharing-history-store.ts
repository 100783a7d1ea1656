import type { EpochMs } from '../../platform/core/clock.ts'
import { keysetPage } from '../../platform/database/keyset-page.ts'
import type { Database } from '../../platform/database/tables.ts'
import { namedAdvertiser, namedAdvertiserId, namedLogo } from '../../schema/client-advertisers.ts'
import { startedApplications } from '../../schema/own-applications.ts'
import type { Disclosure, Received, Reported, StartedApplication } from './sharing-history.ts'

export type SharingHistory = ReturnType<typeof createSharingHistory>

/** The sharing history of a candidate, who comes first in every call. */
export function createSharingHistory({ reader }: Database) {
  return {
    /** Newest first, starting after `before` if given. */
    disclosures(
      candidateId: string,
      limit: number,
      before?: { at: EpochMs; id: string },
    ): Promise<Disclosure[]> {
      const rows = reader
        .selectFrom('disclosures as disclosure')
        .innerJoin('oauth_clients as client', 'client.id', 'disclosure.client_id')
        .leftJoin('advertisers as advertiser', 'advertiser.id', 'disclosure.advertiser_id')
        .select([
          'disclosure.id',
          'disclosure.kind',
          'client.name as clientName',
          namedAdvertiser.as('advertiserName'),
          'disclosure.categories',
          'disclosure.disclosed_at as disclosedAt',
        ])
        .where('disclosure.candidate_id', '=', candidateId)
      const start = before && ([before.at, before.id] as const)
      return keysetPage(rows, ['disclosure.disclosed_at', 'disclosure.id'], start, limit).execute()
    },

    /** By website and advertiser, the latest first. */
    async received(candidateId: string): Promise<Received[]> {
      const rows = await reader
        .selectFrom('disclosures as disclosure')
        .innerJoin('grants as consent', 'consent.id', 'disclosure.grant_id')
        .innerJoin('oauth_clients as client', 'client.id', 'disclosure.client_id')
        .leftJoin('advertisers as advertiser', 'advertiser.id', 'disclosure.advertiser_id')
        .select(({ fn }) => [
          'disclosure.grant_id as grantId',
          'client.id as clientId',
          'client.name as clientName',
          'client.logo_hash as logoHash',
          namedAdvertiserId.as('advertiserId'),
          namedAdvertiser.as('advertiserName'),
          'disclosure.categories',
          'consent.withdrawn_at as endedAt',
          fn.max<number>('disclosure.disclosed_at').as('lastAt'),
        ])
        .where('disclosure.candidate_id', '=', candidateId)
        .where('consent.candidate_id', '=', candidateId)
        .groupBy([
          ...(['disclosure.grant_id', 'client.id', 'client.name', 'client.logo_hash'] as const),
          ...(['client.agent_id', 'advertiser.id', 'advertiser.name', 'disclosure.categories'] as const),
          'consent.withdrawn_at',
        ])
        .orderBy('lastAt', 'desc')
        .orderBy('disclosure.grant_id')
        .execute()
      const groups = Map.groupBy(rows, ({ clientId, advertiserId, endedAt }) =>
        [clientId, advertiserId, endedAt === null].join(' '),
      )
      return [...groups.values()].map(group => {
        const [{ clientId, ...latest }] = group as [(typeof rows)[number]]
        return { ...latest, categories: group.reduce((bits, each) => bits | each.categories, 0) }
      })
    },

    /** Applications that websites have reported on, the newest first. */
    reported: (candidateId: string, limit: number): Promise<Reported[]> =>
      startedApplications(reader, candidateId, undefined, limit)
        .innerJoin('prefill_progress as report', 'report.prefilled_application_id', 'application.id')
        .select([
          'client.name as clientName',
          namedAdvertiser.as('advertiserName'),
          'application.position_title as positionTitle',
          'report.state',
          'report.at',
        ])
        .where('report.position', '=', ({ selectFrom }) =>
          selectFrom('prefill_progress as other')
            .select(({ fn }) => fn.max('other.position').as('position'))
            .whereRef('other.prefilled_application_id', '=', 'application.id'),
        )
        .execute(),

    /** Newest first, starting after `before` if given. */
    applications: (
      candidateId: string,
      limit: number,
      before?: { at: EpochMs; id: string },
    ): Promise<StartedApplication[]> =>
      startedApplications(reader, candidateId, before && [before.at, before.id], limit)
        .select([
          'application.id',
          'client.name as clientName',
          namedAdvertiser.as('advertiserName'),
          namedLogo.as('logoHash'),
          'application.position_title as positionTitle',
          'application.created_at as createdAt',
          'application.completed_at as completedAt',
        ])
        .select(({ selectFrom }) =>
          selectFrom('prefill_progress')
            .select('state')
            .whereRef('prefilled_application_id', '=', 'application.id')
            .orderBy('position', 'desc')
            .limit(1)
            .as('state'),
        )
        .execute(),
  }
}
