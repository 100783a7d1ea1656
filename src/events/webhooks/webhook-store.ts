import { createHash } from 'node:crypto'
import { type Kysely, type Selectable, type SelectQueryBuilder, sql, type Transaction } from 'kysely'
import { type EventType, typeCode } from '../../model/events.ts'
import type { Act } from '../../platform/audit/acts.ts'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { text } from '../../platform/database/typed-values.ts'
import { endpointColumns, laneColumns } from '../../schema/columns.ts'
import { recordTombstones } from '../../schema/writing/record-tombstones.ts'
import { isOwnIfOfAgents, ownDetailOf } from '../feed/event-queries-store.ts'
import { readTypes, writeTypes } from '../feed/type-words.ts'
import { addLiveLanes, lockOwner } from './agent-lanes-store.ts'
import { deferredEventId } from './messages.ts'
import type { Attempt, AttemptOutcome, Backlog, Endpoint, EndpointOwner, ListedLane } from './ports.ts'
import { removeEndpoint } from './remove-endpoint-store.ts'
import type { SignatureScheme } from './signing-rules.ts'

export interface NewEndpoint {
  id: string
  owner: EndpointOwner
  url: string
  description: string
  types: readonly EventType[]
  scheme: SignatureScheme
  createdAt: EpochMs
}

/** Parked events that have failed for good. */
export interface GivenUp {
  events: number
  lastAt: EpochMs
  lastEventId: string
}

export interface HourCount {
  /** Hours since the epoch. */
  hour: number
  accepted: number
  failed: number
}

type Row = Selectable<Schema['webhook_endpoints']>

const columnsOf = (owner: EndpointOwner) =>
  'agentId' in owner
    ? { column: 'agent_id' as const, id: owner.agentId }
    : { column: 'advertiser_id' as const, id: owner.advertiserId }

/** Acts on an agent's endpoints are recorded in the board's audit chain. */
const actOn = (owner: EndpointOwner, endpointId: string) =>
  ({
    scope: 'agentId' in owner ? 'board' : { ownerId: owner.advertiserId },
    target: `webhook:${endpointId}`,
  }) as const

/**
 * The path of a URL may be a secret: record its host, and a fingerprint of the whole URL, by which it can be
 * recognised.
 */
const addressOf = (url: string) => ({
  host: new URL(url).origin,
  fingerprint: createHash('sha256').update(url).digest('hex').slice(0, 16),
})

export type EndpointStore = ReturnType<typeof createEndpointStore>

export function createEndpointStore({ writer, reader, dialect }: Database) {
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
    /** Undefined if the owner has reached the limit. */
    add: (
      { id, owner, url, description, types, scheme, createdAt }: NewEndpoint,
      max: number,
    ): Promise<Endpoint | undefined> =>
      writer.transaction().execute(async trx => {
        await lockOwner(trx, dialect, owner)
        const { column, id: ownerId } = columnsOf(owner)
        const { count } = await trx
          .selectFrom('webhook_endpoints')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where(column, '=', ownerId)
          .executeTakeFirstOrThrow()
        if (count >= max) return undefined
        const row = await trx
          .insertInto('webhook_endpoints')
          .values({
            advertiser_id: null,
            agent_id: null,
            [column]: ownerId,
            id,
            url,
            description,
            scheme,
            types: writeTypes(types),
            state: 'new' as const,
            created_at: createdAt,
            rotated_at: createdAt,
            overlap_until: null,
          })
          .returning(endpointColumns)
          .executeTakeFirstOrThrow()
        await recordAudit(trx, {
          ...actOn(owner, id),
          action: 'webhook.add',
          after: { state: 'new', types: types.length, ...addressOf(url) },
        })
        return endpointOf(row)
      }),

    async list(owner: EndpointOwner): Promise<Endpoint[]> {
      const { column, id } = columnsOf(owner)
      const rows = await listed(reader).where(column, '=', id).execute()
      return rows.map(endpointOf)
    },

    async find(owner: EndpointOwner, endpointId: string): Promise<Endpoint | undefined> {
      const { column, id } = columnsOf(owner)
      const row = await listed(reader).where(column, '=', id).where('id', '=', endpointId).executeTakeFirst()
      return row && endpointOf(row)
    },

    /** For the operator's commands, which are not limited to one owner. */
    async findAny(endpointId: string): Promise<Endpoint | undefined> {
      const row = await listed(reader).where('id', '=', endpointId).executeTakeFirst()
      return row && endpointOf(row)
    },

    listAll: async (): Promise<Endpoint[]> => (await listed(reader).execute()).map(endpointOf),

    /**
     * Changes `new`, `paused`, `stopped` and `failing` to `active`. The first activation creates the lanes, which begin
     * now; later they continue where they stopped, without a pause. False if the endpoint has been removed or, for
     * `test`, paused or stopped during the test.
     */
    activate: (endpointId: string, now: EpochMs, by: 'test' | 'resume'): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        const known = await listed(trx).where('id', '=', endpointId).executeTakeFirst()
        if (known === undefined) return false
        const { owner } = endpointOf(known)
        // A concurrent authorisation or withdrawal either finds the endpoint's lanes, or is found here.
        await lockOwner(trx, dialect, owner)
        const found = await listed(trx).where('id', '=', endpointId).executeTakeFirst()
        if (found === undefined || (by === 'test' && !/^(new|active)$/.test(found.state))) return false
        // Lock order, as everywhere: lanes before their endpoint.
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
            state: 'active',
            failing_since: null,
            failed_at: null,
            told: 0,
            stopped_at: null,
            stop_reason: null,
          })
          .where('id', '=', endpointId)
          .execute()
        if (found.state === 'new') await addLiveLanes(trx, { endpointId, ...owner }, now)
        if (found.state !== 'active')
          await recordAudit(trx, {
            ...actOn(owner, endpointId),
            action: 'webhook.change',
            before: { state: found.state },
            after: { state: 'active' },
          })
        return true
      }),

    pause: (owner: EndpointOwner, endpointId: string): Promise<boolean> =>
      change(owner, endpointId, update => update.where('state', '=', 'active').set({ state: 'paused' }), {
        action: 'webhook.change',
        before: { state: 'active' },
        after: { state: 'paused' },
      }),

    change(
      owner: EndpointOwner,
      endpointId: string,
      { url, description, types }: { url?: string; description?: string; types?: readonly EventType[] },
    ): Promise<boolean> {
      const set = {
        ...(url === undefined ? {} : { url }),
        ...(description === undefined ? {} : { description }),
        ...(types === undefined ? {} : { types: writeTypes(types) }),
      }
      const after = {
        hasNewAddress: url !== undefined,
        ...(types && { types: types.length }),
        ...(url === undefined ? {} : addressOf(url)),
      }
      return change(owner, endpointId, update => update.set(set), { action: 'webhook.change', after })
    },

    /** Begins the next generation of the endpoint's key; the previous one also signs until that time. */
    rotate: (
      owner: EndpointOwner,
      endpointId: string,
      now: EpochMs,
      overlapUntil: EpochMs,
    ): Promise<boolean> =>
      change(
        owner,
        endpointId,
        update =>
          update.set(eb => ({
            generation: eb('generation', '+', 1),
            rotated_at: now,
            // Once a key is lost, a receiver cannot use signatures of the earlier one.
            overlap_until: sql<
              number | null
            >`case when key_lost_at is null then cast(${overlapUntil} as bigint) end`,
            key_lost_at: null,
          })),
        { action: 'webhook.rotate', after: { overlapUntil } },
      ),

    retire: (owner: EndpointOwner, endpointId: string): Promise<boolean> =>
      change(owner, endpointId, update => update.set({ overlap_until: null }), { action: 'webhook.retire' }),

    remove: (owner: EndpointOwner, endpointId: string): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        await lockOwner(trx, dialect, owner)
        const { column, id } = columnsOf(owner)
        const found = await listed(trx).where(column, '=', id).where('id', '=', endpointId).executeTakeFirst()
        if (found === undefined || !(await removeEndpoint(trx, dialect, endpointId))) return false
        await recordTombstones(trx, ['webhook', endpointId])
        await recordAudit(trx, {
          ...actOn(owner, endpointId),
          action: 'webhook.remove',
          before: { state: found.state },
        })
        return true
      }),

    async recordTest(
      endpointId: string,
      { at, attempt, outcome, status, ms, answer }: Attempt,
      skewMs: number | null,
    ): Promise<void> {
      await writer.transaction().execute(async trx => {
        const changed = await trx
          .updateTable('webhook_endpoints')
          // Only the first time: a receiver that answers tests quickly may be slow with events.
          .set({
            answer_ms: sql`coalesce(answer_ms, ${Math.round(ms)})`,
            ...(skewMs === null ? {} : { skew_ms: Math.round(skewMs) }),
          })
          .where('id', '=', endpointId)
          .executeTakeFirst()
        // The endpoint has been removed.
        if (changed.numUpdatedRows === 0n) return
        await trx
          .insertInto('webhook_attempts')
          .values({
            endpoint_id: endpointId,
            at,
            advertiser_id: 0,
            number: 0,
            attempt,
            outcome,
            status,
            ms: Math.round(ms),
            answer,
          })
          .onConflict(conflict => conflict.doNothing())
          .execute()
      })
    },

    async testsSince(endpointId: string, at: EpochMs): Promise<number> {
      const { count } = await reader
        .selectFrom('webhook_attempts')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('endpoint_id', '=', endpointId)
        .where('at', '>=', at)
        .where('number', '=', 0)
        .executeTakeFirstOrThrow()
      return count
    },

    /** Lanes that have an end, newest first. */
    async lanes(endpointId: string, max: number): Promise<ListedLane[]> {
      const rows = await reader
        .selectFrom('webhook_lanes')
        .select(laneColumns)
        .where('endpoint_id', '=', endpointId)
        .where('kind', '<>', 'live')
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(max)
        .execute()
      return rows.map(laneOf)
    },

    /** Null if there are none, or all of them were sent again. */
    async givenUp(endpointId: string): Promise<GivenUp | null> {
      const last = await reader
        .selectFrom('webhook_lanes')
        .select(laneColumns)
        .select(({ fn }) => fn.countAll<number>().over().as('events'))
        .where('endpoint_id', '=', endpointId)
        .where('kind', '<>', 'live')
        .where('ended', '=', 'given-up')
        .orderBy('ended_at', 'desc')
        .orderBy('end_number', 'desc')
        .limit(1)
        .executeTakeFirst()
      if (last === undefined) return null
      return { events: last.events, lastAt: last.ended_at ?? 0, lastEventId: deferredEventId(laneOf(last)) }
    },

    async backlog(
      { id, types, owner }: Pick<Endpoint, 'id' | 'types' | 'owner'>,
      max: number,
    ): Promise<Backlog> {
      const ownDetail = ownDetailOf('agentId' in owner ? owner.agentId : null)
      const waiting = await reader
        .selectFrom('webhook_lanes')
        .select(({ fn }) => fn.min<number | null>('due_at').as('at'))
        .where('endpoint_id', '=', id)
        .where('kind', '=', 'live')
        .where('tries', '>', 0)
        .where('ended_at', 'is', null)
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
            // Excludes agents that were withdrawn, who get no further events.
            .where('lane.end_number', 'is', null)
            .where('event.type', 'in', types.map(typeCode))
            .$if(ownDetail !== '', query => query.where(isOwnIfOfAgents(text(ownDetail))))
            .limit(max)
            .as('behind'),
        )
        .select(({ fn }) => [
          fn.countAll<number>().as('events'),
          fn.min<number | null>('number').as('oldestAt'),
        ])
        .executeTakeFirstOrThrow()
      return { ...found, nextTryAt: waiting?.at ?? null }
    },

    async attempts(endpointId: string, max: number): Promise<Attempt[]> {
      const rows = await reader
        .selectFrom('webhook_attempts')
        .select(['at', 'advertiser_id', 'number', 'attempt', 'outcome', 'status', 'ms', 'answer'])
        .where('endpoint_id', '=', endpointId)
        .orderBy('at', 'desc')
        .orderBy('number', 'desc')
        .orderBy('attempt', 'desc')
        .limit(max)
        .execute()
      return rows.map(({ at, advertiser_id, number, attempt, outcome, status, ms, answer }) => ({
        at,
        advertiserId: advertiser_id || null,
        number: number || null,
        attempt,
        outcome: outcome as AttemptOutcome,
        status,
        ms,
        answer,
      }))
    },

    hours: (endpointId: string, since: number): Promise<HourCount[]> =>
      reader
        .selectFrom('webhook_hours')
        .select(['hour', 'accepted', 'failed'])
        .where('endpoint_id', '=', endpointId)
        .where('hour', '>=', since)
        .orderBy('hour')
        .execute(),
  }
}

const listed = (db: Kysely<Schema>): SelectQueryBuilder<Schema, 'webhook_endpoints', Row> =>
  db.selectFrom('webhook_endpoints').select(endpointColumns).orderBy('created_at').orderBy('id')

function laneOf(row: Pick<Selectable<Schema['webhook_lanes']>, (typeof laneColumns)[number]>): ListedLane {
  return {
    id: row.id,
    kind: row.kind,
    advertiserId: row.advertiser_id,
    sent: row.sent,
    end: row.end_number,
    tries: row.tries,
    dueAt: row.due_at,
    delivered: row.delivered,
    createdAt: row.created_at,
    notice: row.notice,
    state: row.ended ?? (row.leased_until > 0 ? 'running' : 'waiting'),
  }
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
    stopReason: row.key_lost_at === null ? row.stop_reason : 'key-lost',
    answerMs: row.answer_ms,
    skewMs: row.skew_ms,
  }
}
