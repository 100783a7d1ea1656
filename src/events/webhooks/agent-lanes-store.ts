import { type Kysely, sql, type Transaction } from 'kysely'
import { newUuid } from '../../platform/core/ids.ts'
import { getMeta } from '../../platform/database/meta.ts'
import { restoredKey } from '../../platform/database/server-history.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { agentEventTypes } from '../feed/event-queries-store.ts'
import { readTypes, writeTypes } from '../feed/type-words.ts'
import type { EndpointOwner } from './ports.ts'

/**
 * Until the end of the transaction, no other transaction adds, activates or removes the owner's endpoints, or adds a
 * replay.
 */
export async function lockOwner(
  trx: Transaction<Schema>,
  dialect: Database['dialect'],
  owner: EndpointOwner,
): Promise<void> {
  if (dialect === 'sqlite') return
  const [table, id] =
    'agentId' in owner ? (['agents', owner.agentId] as const) : (['advertisers', owner.advertiserId] as const)
  await trx.selectFrom(table).select('id').where('id', '=', id).forNoKeyUpdate().execute()
}

/**
 * Creates the live lanes of an endpoint: for its advertiser, or for every advertiser that authorises its agent. They
 * begin with the next event.
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

/**
 * Call in the transaction that authorises the agent, which holds the agent's row. The lanes begin with that event. If a
 * lane's endpoint has not yet received the previous withdrawal, that lane continues instead: two lanes would mix the
 * order of these events.
 */
export async function addLanesOfAgent(
  trx: Kysely<Schema>,
  agentId: number,
  advertiserId: number,
  { number, now }: { number: number; now: number },
): Promise<void> {
  await deleteLanes(trx, agentId, advertiserId)
    .where('kind', '=', 'live')
    .where('ended_at', 'is not', null)
    .execute()
  await updateLanes(trx, agentId, advertiserId)
    .where('kind', '=', 'live')
    .set({ end_number: null, types: null, ...takenBack(now) })
    .execute()
  const endpoints = await trx
    .selectFrom('webhook_endpoints')
    .select('id')
    .where('agent_id', '=', agentId)
    .where('state', '<>', 'new')
    .execute()
  for (const { id } of endpoints) await addLane(trx, id, advertiserId, now, number - 1)
}

/**
 * Call in the transaction that withdraws the authorisation: a process that holds one of the lanes finds its lease void.
 * The live lanes of endpoints that have chosen the event end with it, and before it send only the agent's own events.
 */
export async function endLanesOfAgent(
  trx: Transaction<Schema>,
  dialect: Database['dialect'],
  agentId: number,
  advertiserId: number,
  { number, now }: { number: number; now: number },
): Promise<void> {
  await lockOwner(trx, dialect, { agentId })
  const endpoints = await trx
    .selectFrom('webhook_endpoints')
    .select(['id', 'types'])
    .where('agent_id', '=', agentId)
    .execute()
  for (const { id, types } of endpoints) {
    const own = agentEventTypes.filter(type => readTypes(types).includes(type))
    if (own.length === 0)
      await deleteLanes(trx, agentId, advertiserId).where('endpoint_id', '=', id).execute()
    else
      await updateLanes(trx, agentId, advertiserId)
        .where('endpoint_id', '=', id)
        .where('kind', '=', 'live')
        .set({ end_number: number, types: writeTypes(own), ...takenBack(now) })
        .execute()
  }
  // After the live lanes, and in this order: a process that parks an event locks its live or replay lane first, so the
  // last deletion waits for it and finds the parked lane.
  for (const kind of ['replay', 'parked'] as const)
    await deleteLanes(trx, agentId, advertiserId).where('kind', '=', kind).execute()
}

/** Removes all lanes, for a history that lacks the withdrawal event. */
export async function removeLanesOfAgent(
  trx: Kysely<Schema>,
  agentId: number,
  advertiserId: number,
): Promise<void> {
  await deleteLanes(trx, agentId, advertiserId).execute()
}

const endpointsOf = (trx: Kysely<Schema>, agentId: number) =>
  trx.selectFrom('webhook_endpoints').select('id').where('agent_id', '=', agentId)

const deleteLanes = (trx: Kysely<Schema>, agentId: number, advertiserId: number) =>
  trx
    .deleteFrom('webhook_lanes')
    .where('advertiser_id', '=', advertiserId)
    .where('endpoint_id', 'in', endpointsOf(trx, agentId))

const updateLanes = (trx: Kysely<Schema>, agentId: number, advertiserId: number) =>
  trx
    .updateTable('webhook_lanes')
    .where('advertiser_id', '=', advertiserId)
    .where('endpoint_id', 'in', endpointsOf(trx, agentId))

/** Voids the holder's lease, and makes the lane due. */
const takenBack = (now: number) => ({
  lease: sql<number>`lease + 1`,
  leased_until: 0,
  tries: 0,
  due_at: now,
})

async function addLane(
  trx: Kysely<Schema>,
  endpointId: string,
  advertiserId: number,
  now: number,
  after?: number,
): Promise<void> {
  const { event_number } = await trx
    .selectFrom('advertiser_ledger')
    .select('event_number')
    .where('advertiser_id', '=', advertiserId)
    .executeTakeFirstOrThrow()
  const restored = await getMeta(trx, restoredKey)
  // An earlier restore need not be announced to it, and every later event has a higher number.
  const last = Math.max(after ?? event_number, Number(restored ?? 0))
  await trx
    .insertInto('webhook_lanes')
    .values({
      id: newUuid(),
      endpoint_id: endpointId,
      advertiser_id: advertiserId,
      kind: 'live' as const,
      sent: last,
      end_number: null,
      types: null,
      due_at: now,
      created_at: now,
    })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}
