import { prepareQuery } from '../platform/database/prepared-query.ts'
import type { Database } from '../platform/database/tables.ts'
import type { AdvertiserStatus } from './rules.ts'

export type BoardDirectory = ReturnType<typeof createBoardDirectory>

/** Which advertisers a job board may act for. */
export function createBoardDirectory({ reader }: Database) {
  const find = prepareQuery(reader, (key: { clientId: string; advertiserId: number }) =>
    reader
      .selectFrom('oauth_client_advertisers as listed')
      .innerJoin('advertisers as advertiser', 'advertiser.id', 'listed.advertiser_id')
      .select(['advertiser.status', 'advertiser.time_zone as timeZone'])
      .where('listed.client_id', '=', key.clientId)
      .where('listed.advertiser_id', '=', key.advertiserId),
  )
  return {
    /** Undefined if the advertiser is not listed on the client, or does not exist. */
    find: (
      clientId: string,
      advertiserId: number,
    ): Promise<{ status: AdvertiserStatus; timeZone: string | null } | undefined> =>
      find({ clientId, advertiserId }),
  }
}
