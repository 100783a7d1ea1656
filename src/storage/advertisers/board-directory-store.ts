import type { BoardDirectory } from '../../advertisers/board-access-ports.ts'
import { prepareQuery } from '../database/prepared-query.ts'
import type { Database } from '../database/tables.ts'

export function createBoardDirectory({ reader }: Database): BoardDirectory {
  const find = prepareQuery(reader, (key: { clientId: string; advertiserId: number }) =>
    reader
      .selectFrom('oauth_client_advertisers as listed')
      .innerJoin('advertisers as advertiser', 'advertiser.id', 'listed.advertiser_id')
      .select('advertiser.status')
      .where('listed.client_id', '=', key.clientId)
      .where('listed.advertiser_id', '=', key.advertiserId),
  )
  return {
    async statusOf(clientId, advertiserId) {
      return (await find({ clientId, advertiserId }))?.status
    },
  }
}
