import type { Transaction } from 'kysely'
import type { Database, Schema } from '../../platform/database/tables.ts'

/**
 * Children before their parent, and lanes before their endpoint, as everywhere. Other processes may still be adding
 * rows: the first deletion of lanes waits for those that hold a lane and may park an event, and the endpoint's lock
 * waits for tests; so these rows are removed too.
 */
export async function removeEndpoint(
  trx: Transaction<Schema>,
  dialect: Database['dialect'],
  endpointId: string,
): Promise<boolean> {
  const remove = (table: 'webhook_lanes' | 'webhook_attempts' | 'webhook_hours') =>
    trx.deleteFrom(table).where('endpoint_id', '=', endpointId).execute()
  await remove('webhook_lanes')
  if (dialect === 'postgres') {
    await remove('webhook_lanes')
    await trx.selectFrom('webhook_endpoints').select('id').where('id', '=', endpointId).forUpdate().execute()
  }
  await remove('webhook_attempts')
  await remove('webhook_hours')
  const gone = await trx.deleteFrom('webhook_endpoints').where('id', '=', endpointId).executeTakeFirst()
  return gone.numDeletedRows > 0n
}
