import { type Kysely, type Selectable, type SelectQueryBuilder, sql, type Transaction } from 'kysely'
import type {
  Attempt,
  AttemptOutcome,
  Endpoint,
  EndpointOwner,
  EndpointStore,
  ListedLane,
  ReplayStore,
} from '../../events/webhooks/ports.ts'
import type { Act } from '../../model/audit.ts'
import { typeCode } from '../../model/events.ts'
import { endpointColumns, laneColumns } from '../columns.ts'
import type { Database, Schema } from '../database/tables.ts'
import { bury } from '../writing/bury.ts'
import { recordAudit } from '../writing/record-audit.ts'
import { addLiveLanes } from './agent-lanes.ts'
import { removeEndpoint } from './remove-endpoint.ts'
import { readTypes, writeTypes } from './type-words.ts'

type Row = Selectable<Schema['webhook_endpoints']>

const columnsOf = (owner: EndpointOwner) =>
  'agentId' in owner
    ? { column: 'agent_id' as const, id: owner.agentId }
    : { column: 'advertiser_id' as const, id: owner.advertiserId }

/** An agent's endpoints are on record in the chain of the board. */
const actOn = (owner: EndpointOwner, endpointId: string) =>
  ({ scope: 'agentId' in owner ? 'board' : owner, target: `webhook:${endpointId}` }) as const

export function createEndpointStore({ writer, reader, dialect }: Database): EndpointStore {
  const ofOwner = (trx: Transaction<Schema>, owner: EndpointOwner, endpointId: string) => {
    const { column, id } = columnsOf(owner)
    return trx.updateTable('webhook_endpoints').where(column, '=', id).where('id', '=', endpointId)
  }
  type Update = ReturnType<typeof ofOwner>
  const change = (
    owner: EndpointOwner,
    endpointId: string,
    set: (update: Update) => Pick<Update, 'executeTakeFirst'>,
    act: Pick<Act, 'action' | 'before' | 'after'>,
  ) =>
    writer.transaction().execute(async trx => {
      const { numUpdatedRows } = await set(ofOwner(trx, owner, endpointId)).executeTakeFirst()
      if (numUpdatedRows === 0n) return false
      await recordAudit(trx, { ...actOn(owner, endpointId), ...act } as Act)
      return true
    })

  return {
    add: ({ id, owner, url, description, types, scheme, createdAt }, most) =>
      writer.transaction().execute(async trx => {
        await lockOwner(trx, dialect, owner)
        const { column, id: ownerId } = columnsOf(owner)
        const { count } = await trx
          .selectFrom('webhook_endpoints')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where(column, '=', ownerId)
          .executeTakeFirstOrThrow()
        if (count >= most) return undefined
        const row = await trx
          .insertInto('webhook_endpoints')
          .values({
            ...{ advertiser_id: null, agent_id: null, [column]: ownerId },
            ...{ id, url, description, scheme, types: writeTypes(types), state: 'new' as const },
            ...{ created_at: createdAt, rotated_at: createdAt, overlap_until: null },
          })
          .returning(endpointColumns)
          .executeTakeFirstOrThrow()
        await recordAudit(trx, {
          ...actOn(owner, id),
          action: 'webhook.add',
          after: { state: 'new', types: types.length },
        })
        return endpointOf(row)
      }),

    async list(owner) {
      const { column, id } = columnsOf(owner)
      const rows = await listed(reader).where(column, '=', id).execute()
      return rows.map(endpointOf)
    },

    async find(owner, endpointId) {
      const { column, id } = columnsOf(owner)
      const row = await listed(reader).where(column, '=', id).where('id', '=', endpointId).executeTakeFirst()
      return row && endpointOf(row)
    },

    async findAny(endpointId) {
      const row = await listed(reader).where('id', '=', endpointId).executeTakeFirst()
      return row && endpointOf(row)
    },

    listAll: async () => (await listed(reader).execute()).map(endpointOf),

    activate: (endpointId, now, by) =>
      writer.transaction().execute(async trx => {
        const known = await listed(trx).where('id', '=', endpointId).executeTakeFirst()
        if (known === undefined) return false
        const { owner } = endpointOf(known)
        // An authorisation at the same moment either finds the endpoint active, or is found here.
        await lockOwner(trx, dialect, owner)
        const found = await listed(trx).where('id', '=', endpointId).executeTakeFirst()
        if (found === undefined || (by === 'test' && !/^(new|active)$/.test(found.state))) return false
        // Lanes before their endpoint, as everywhere.
        await trx
          .updateTable('webhook_lanes')
          .set({ tries: 0, due_at: now })
          .where('endpoint_id', '=', endpointId)
          .where('kind', '<>', 'parked')
          .where('ended_at', 'is', null)
          .execute()
        await trx
          .updateTable('webhook_endpoints')
          .set({
            ...{ state: 'active', failing_since: null, failed_at: null, told: 0 },
            ...{ stopped_at: null, stop_reason: null },
          })
          .where('id', '=', endpointId)
          .execute()
        if (found.state === 'new') await addLiveLanes(trx, { endpointId, ...owner }, now)
        if (found.state !== 'active')
          await recordAudit(trx, {
            ...actOn(owner, endpointId),
            action: 'webhook.change',
            ...{ before: { state: found.state }, after: { state: 'active' } },
          })
        return true
      }),

    pause: (owner, endpointId) =>
      change(owner, endpointId, update => update.where('state', '=', 'active').set({ state: 'paused' }), {
        action: 'webhook.change',
        before: { state: 'active' },
        after: { state: 'paused' },
      }),

    change(owner, endpointId, { url, description, types }) {
      const set = {
        ...(url === undefined ? {} : { url }),
        ...(description === undefined ? {} : { description }),
        ...(types === undefined ? {} : { types: writeTypes(types) }),
      }
      // The address may hold a secret, so only that it changed is on record.
      const after = { hasNewAddress: url !== undefined, ...(types && { types: types.length }) }
      return change(owner, endpointId, update => update.set(set), { action: 'webhook.change', after })
    },

    rotate: (owner, endpointId, now, overlapUntil) =>
      change(
        owner,
        endpointId,
        update =>
          update.set(eb => ({
            generation: eb('generation', '+', 1),
            rotated_at: now,
            overlap_until: overlapUntil,
          })),
        { action: 'webhook.rotate', after: { overlapUntil } },
      ),

    retire: (owner, endpointId) =>
      change(owner, endpointId, update => update.set({ overlap_until: null }), { action: 'webhook.retire' }),

    remove: (owner, endpointId) =>
      writer.transaction().execute(async trx => {
        const { column, id } = columnsOf(owner)
        const found = await listed(trx).where(column, '=', id).where('id', '=', endpointId).executeTakeFirst()
        if (found === undefined || !(await removeEndpoint(trx, endpointId))) return false
        await bury(trx, ['webhook', endpointId])
        await recordAudit(trx, {
          ...actOn(owner, endpointId),
          ...{ action: 'webhook.remove', before: { state: found.state } },
        })
        return true
      }),

    async recordTest(endpointId, { at, attempt, outcome, status, ms, answer }, skewMs) {
      await writer.transaction().execute(async trx => {
        const changed = await trx
          .updateTable('webhook_endpoints')
          .set({ answer_ms: Math.round(ms), ...(skewMs === null ? {} : { skew_ms: Math.round(skewMs) }) })
          .where('id', '=', endpointId)
          .executeTakeFirst()
        // Removed in the meantime.
        if (changed.numUpdatedRows === 0n) return
        await trx
          .insertInto('webhook_attempts')
          .values({
            ...{ endpoint_id: endpointId, at, advertiser_id: 0, number: 0, attempt },
            ...{ outcome, status, ms: Math.round(ms), answer },
          })
          .onConflict(conflict => conflict.doNothing())
          .execute()
      })
    },

    async testsSince(endpointId, at) {
      const { count } = await reader
        .selectFrom('webhook_attempts')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('endpoint_id', '=', endpointId)
        .where('at', '>=', at)
        .where('number', '=', 0)
        .executeTakeFirstOrThrow()
      return count
    },

    async lanes(endpointId, most): Promise<ListedLane[]> {
      const rows = await reader
        .selectFrom('webhook_lanes')
        .select(laneColumns)
        .where('endpoint_id', '=', endpointId)
        .where('kind', '<>', 'live')
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(most)
        .execute()
      return rows.map(row => ({
        ...{
          id: row.id,
          kind: row.kind,
          advertiserId: row.advertiser_id,
          sent: row.sent,
          end: row.end_number,
        },
        ...{ tries: row.tries, dueAt: row.due_at, delivered: row.delivered, createdAt: row.created_at },
        state: row.ended ?? (row.leased_until > 0 ? 'running' : 'waiting'),
      }))
    },

    async backlog({ id, types }, most) {
      const waiting = await reader
        .selectFrom('webhook_lanes')
        .select(({ fn }) => fn.min<number | null>('due_at').as('at'))
        .where('endpoint_id', '=', id)
        .where('kind', '=', 'live')
        .where('tries', '>', 0)
        .executeTakeFirst()
      const found = await reader
        .selectFrom(db =>
          db
            .selectFrom('webhook_lanes as lane')
            .innerJoin('events as event', join =>
              join
                .onRef('event.advertiser_id', '=', 'lane.advertiser_id')
                .onRef('event.number', '>', 'lane.sent'),
            )
            .select('event.number')
            .where('lane.endpoint_id', '=', id)
            .where('lane.kind', '=', 'live')
            .where('event.type', 'in', types.map(typeCode))
            .limit(most)
            .as('behind'),
        )
        .select(({ fn }) => [
          fn.countAll<number>().as('events'),
          fn.min<number | null>('number').as('oldestAt'),
        ])
        .executeTakeFirstOrThrow()
      return { ...found, nextTryAt: waiting?.at ?? null }
    },

    async attempts(endpointId, most): Promise<Attempt[]> {
      const rows = await reader
        .selectFrom('webhook_attempts')
        .select(['at', 'advertiser_id', 'number', 'attempt', 'outcome', 'status', 'ms', 'answer'])
        .where('endpoint_id', '=', endpointId)
        .orderBy('at', 'desc')
        .orderBy('number', 'desc')
        .orderBy('attempt', 'desc')
        .limit(most)
        .execute()
      return rows.map(({ at, advertiser_id, number, attempt, outcome, status, ms, answer }) => ({
        ...{ at, advertiserId: advertiser_id || null, number: number || null, attempt },
        ...{ outcome: outcome as AttemptOutcome, status, ms, answer },
      }))
    },

    hours: (endpointId, since) =>
      reader
        .selectFrom('webhook_hours')
        .select(['hour', 'accepted', 'failed'])
        .where('endpoint_id', '=', endpointId)
        .where('hour', '>=', since)
        .orderBy('hour')
        .execute(),
  }
}

export function createReplayStore({ writer }: Database): ReplayStore {
  const laneOf = (endpointId: string, kind: 'replay' | 'parked') =>
    writer.updateTable('webhook_lanes').where('endpoint_id', '=', endpointId).where('kind', '=', kind)

  return {
    add: (endpointId, { id, advertiserId, after, end, types, now }) =>
      writer.transaction().execute(async trx => {
        const found = await trx
          .selectFrom('webhook_lanes as lane')
          .innerJoin('advertiser_ledger as ledger', 'ledger.advertiser_id', 'lane.advertiser_id')
          .select(['ledger.event_number as last', 'ledger.events_from as from'])
          .where('lane.endpoint_id', '=', endpointId)
          .where('lane.advertiser_id', '=', advertiserId)
          .where('lane.kind', '=', 'live')
          .executeTakeFirst()
        if (found === undefined) return undefined
        // What is no longer kept cannot be sent.
        const numbers = { after: Math.max(after, found.from), end: Math.min(end ?? found.last, found.last) }
        await trx
          .insertInto('webhook_lanes')
          .values({
            ...{ id, endpoint_id: endpointId, advertiser_id: advertiserId, kind: 'replay' as const },
            ...{ sent: numbers.after, end_number: numbers.end, types: types && writeTypes(types) },
            ...{ due_at: now, created_at: now },
            ...(numbers.after < numbers.end ? {} : { ended: 'done' as const, ended_at: now }),
          })
          .execute()
        return numbers
      }),

    async cancel(endpointId, laneId, now) {
      const { numUpdatedRows } = await laneOf(endpointId, 'replay')
        .set({ ended: 'cancelled', ended_at: now })
        .where('id', '=', laneId)
        .where('ended_at', 'is', null)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    async resendParked(endpointId, laneId, now) {
      const { numUpdatedRows } = await laneOf(endpointId, 'parked')
        .set({ due_at: now, tries: 0, ended: null, ended_at: null, sent: sql<number>`end_number - 1` })
        .where(eb => eb.or([eb('ended', 'is', null), eb('ended', '=', 'given-up')]))
        .$if(laneId !== 'all', query => query.where('id', '=', laneId))
        .executeTakeFirst()
      return Number(numUpdatedRows)
    },
  }
}

const listed = (db: Kysely<Schema>): SelectQueryBuilder<Schema, 'webhook_endpoints', Row> =>
  db.selectFrom('webhook_endpoints').select(endpointColumns).orderBy('created_at').orderBy('id')

/** Until the end of the transaction, the owner's endpoints are neither added nor made active elsewhere. */
async function lockOwner(
  trx: Transaction<Schema>,
  dialect: Database['dialect'],
  owner: EndpointOwner,
): Promise<void> {
  if (dialect === 'sqlite') return
  const { id } = columnsOf(owner)
  const table = 'agentId' in owner ? 'agents' : 'advertisers'
  await trx.selectFrom(table).select('id').where('id', '=', id).forNoKeyUpdate().execute()
}

function endpointOf(row: Row): Endpoint {
  const isFailing = row.state === 'active' && row.failing_since !== null
  return {
    id: row.id,
    owner: row.agent_id === null ? { advertiserId: row.advertiser_id ?? 0 } : { agentId: row.agent_id },
    url: row.url,
    description: row.description,
    types: readTypes(row.types),
    scheme: row.scheme,
    state: isFailing ? 'failing' : row.state,
    generation: row.generation,
    overlapUntil: row.overlap_until,
    createdAt: row.created_at,
    rotatedAt: row.rotated_at,
    failingSince: row.failing_since,
    succeededAt: row.succeeded_at,
    stoppedAt: row.stopped_at,
    stopReason: row.stop_reason,
    answerMs: row.answer_ms,
    skewMs: row.skew_ms,
  }
}
