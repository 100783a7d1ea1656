import type { Kysely } from 'kysely'
import { newUuid } from '../../core/ids.ts'
import { restoredKey } from '../database/server-history.ts'
import type { Schema } from '../database/tables.ts'

/**
 * Makes the live lanes of an endpoint: for its advertiser, or for every advertiser that authorises its agent. They begin
 * with the next event.
 */
export async function addLiveLanes(
  trx: Kysely<Schema>,
  endpoint: { endpointId: string } & ({ advertiserId: number } | { agentId: number }),
  now: number,
): Promise<void> {
  const advertiserIds =
    'advertiserId' in endpoint
      ? [endpoint.advertiserId]
      : (
          await trx
            .selectFrom('agent_authorisations')
            .select('advertiser_id')
            .where('agent_id', '=', endpoint.agentId)
            .execute()
        ).map(row => row.advertiser_id)
  for (const advertiserId of advertiserIds) await addLane(trx, endpoint.endpointId, advertiserId, now)
}

/** In the transaction that authorises the agent, which holds the agent's row. */
export async function addLanesOfAgent(
  trx: Kysely<Schema>,
  agentId: number,
  advertiserId: number,
  now: number,
): Promise<void> {
  const endpoints = await trx
    .selectFrom('webhook_endpoints')
    .select('id')
    .where('agent_id', '=', agentId)
    .where('state', '<>', 'new')
    .execute()
  for (const { id } of endpoints) await addLane(trx, id, advertiserId, now)
}

/** In the transaction that withdraws the authorisation: a process that holds one of the lanes finds its lease void. */
export async function removeLanesOfAgent(
  trx: Kysely<Schema>,
  agentId: number,
  advertiserId: number,
): Promise<void> {
  await trx
    .deleteFrom('webhook_lanes')
    .where('advertiser_id', '=', advertiserId)
    .where(
      'endpoint_id',
      'in',
      trx.selectFrom('webhook_endpoints').select('id').where('agent_id', '=', agentId),
    )
    .execute()
}

async function addLane(
  trx: Kysely<Schema>,
  endpointId: string,
  advertiserId: number,
  now: number,
): Promise<void> {
  const { event_number } = await trx
    .selectFrom('advertiser_ledger')
    .select('event_number')
    .where('advertiser_id', '=', advertiserId)
    .executeTakeFirstOrThrow()
  const restored = await trx
    .selectFrom('meta')
    .select('value')
    .where('key', '=', restoredKey)
    .executeTakeFirst()
  // A restore before is no news to it, and every later event has a higher number.
  const last = Math.max(event_number, Number(restored?.value ?? 0))
  await trx
    .insertInto('webhook_lanes')
    .values({
      ...{ id: newUuid(), endpoint_id: endpointId, advertiser_id: advertiserId, kind: 'live' as const },
      ...{ sent: last, end_number: null, types: null, due_at: now, created_at: now },
    })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}
