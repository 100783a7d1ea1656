import type { Transaction } from 'kysely'
import type { Database, Schema } from '../../platform/database/tables.ts'

/**
 * Children before their parent, and lanes before their endpoint, as everywhere. Of what is being added, the first deletion of lanes
 * waits for the processes that hold one and may park an event, and the lock of the endpoint for tests: that goes as well.
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
