import type { Transaction } from 'kysely'
import type { Schema } from '../database/tables.ts'

/** Children before their parent. */
export async function removeEndpoint(trx: Transaction<Schema>, endpointId: string): Promise<boolean> {
  for (const table of ['webhook_lanes', 'webhook_attempts', 'webhook_hours'] as const)
    await trx.deleteFrom(table).where('endpoint_id', '=', endpointId).execute()
  const gone = await trx.deleteFrom('webhook_endpoints').where('id', '=', endpointId).executeTakeFirst()
  return gone.numDeletedRows > 0n
}
