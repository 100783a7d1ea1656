import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { DueLane, HeldLane, LaneRecord, LaneStore, RecordResult } from '../../events/webhooks/ports.ts'
import { longestPauseMs } from '../../events/webhooks/schedule-rules.ts'
import type { Database, Schema } from '../database/tables.ts'
import { readTypes, writeTypes } from './type-words.ts'

const hourMs = 3_600_000

/** Moves lanes. A change names the number of the lease under which it was made, and is void under any other. */
export function createLaneStore({ writer, reader }: Database): LaneStore {
  /** All leases last equally long: one that ends later was taken by a clock that was ahead. */
  const isFree = (now: number, leaseMs: number) => (eb: ExpressionBuilder<Schema, 'webhook_lanes'>) =>
    eb.or([
      eb('webhook_lanes.leased_until', '<=', now),
      eb('webhook_lanes.leased_until', '>', now + 2 * leaseMs),
    ])

  /** A lane that does not fail never waits, so that a clock that steps back delays nothing; else `due_at` gives it its turn. */
  const isDue = (now: number) => (eb: ExpressionBuilder<Schema, 'webhook_lanes'>) =>
    eb.or([
      eb('webhook_lanes.due_at', '<=', now),
      eb('webhook_lanes.due_at', '>', now + longestPauseMs),
      eb.and([eb('webhook_lanes.tries', '=', 0), eb('webhook_lanes.kind', '!=', 'parked')]),
    ])

  return {
    findDue: ({ now, leaseMs, advertiserIds, answeredWithinMs, exceptEndpoints, most }): Promise<DueLane[]> =>
      reader
        .selectFrom('webhook_lanes')
        .innerJoin('webhook_endpoints as endpoint', 'endpoint.id', 'webhook_lanes.endpoint_id')
        .innerJoin('advertisers as advertiser', 'advertiser.id', 'webhook_lanes.advertiser_id')
        .innerJoin('advertiser_ledger as ledger', 'ledger.advertiser_id', 'webhook_lanes.advertiser_id')
        .select(['webhook_lanes.id', 'endpoint.id as endpointId', 'endpoint.answer_ms as answerMs'])
        .where('webhook_lanes.ended_at', 'is', null)
        .where(isDue(now))
        .where(isFree(now, leaseMs))
        .where('endpoint.state', '=', 'active')
        .where('advertiser.status', '=', 'active')
        .whereRef('ledger.event_number', '>', 'webhook_lanes.sent')
        .$if(advertiserIds !== undefined, query =>
          query.where('webhook_lanes.advertiser_id', 'in', [...(advertiserIds ?? [])]),
        )
        .$if(answeredWithinMs !== undefined, query =>
          query.where('endpoint.answer_ms', '<=', answeredWithinMs ?? 0),
        )
        .$if(exceptEndpoints.length > 0, query => query.where('endpoint.id', 'not in', [...exceptEndpoints]))
        .orderBy('webhook_lanes.due_at')
        .orderBy('webhook_lanes.id')
        .limit(most)
        .execute(),

    async take(laneId, now, until): Promise<HeldLane | undefined> {
      const lane = await writer
        .updateTable('webhook_lanes')
        .set(eb => ({ lease: eb('lease', '+', 1), leased_until: until }))
        .where('id', '=', laneId)
        .where('ended_at', 'is', null)
        .where(isDue(now))
        .where(isFree(now, until - now))
        .where(eb =>
          eb.exists(
            eb
              .selectFrom('webhook_endpoints as endpoint')
              .select('endpoint.id')
              .whereRef('endpoint.id', '=', 'webhook_lanes.endpoint_id')
              .where('endpoint.state', '=', 'active'),
          ),
        )
        .returning([
          'id',
          'kind',
          'lease',
          'advertiser_id',
          'sent',
          'end_number',
          'tries',
          'types',
          'endpoint_id',
        ])
        .executeTakeFirst()
      if (lane === undefined) return undefined
      const endpoint = await writer
        .selectFrom('webhook_endpoints as endpoint')
        .select(['id', 'url', 'scheme', 'generation', 'overlap_until', 'types'])
        .select(eb =>
          eb
            .selectFrom('webhook_lanes as parked')
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .whereRef('parked.endpoint_id', '=', 'endpoint.id')
            .where('parked.kind', '=', 'parked')
            .where('parked.ended_at', 'is', null)
            .as('parked'),
        )
        .where('id', '=', lane.endpoint_id)
        .executeTakeFirst()
      if (endpoint === undefined) return undefined
      const { id, url, scheme, generation, overlap_until: overlapUntil } = endpoint
      return {
        ...{ id: lane.id, kind: lane.kind, lease: lane.lease, leasedUntil: until },
        ...{ advertiserId: lane.advertiser_id, sent: lane.sent, end: lane.end_number, tries: lane.tries },
        types: readTypes(lane.types ?? endpoint.types),
        parked: endpoint.parked ?? 0,
        endpoint: { id, url, scheme, generation, overlapUntil },
      }
    },

    record(lane, record): Promise<RecordResult> {
      const isQuiet = record.attempts.length === 0 && record.accepted === 0 && record.stop === undefined
      if (isQuiet && record.park === undefined) return moveLane(writer, lane, record)
      return writer.transaction().execute(async trx => {
        // First, as everywhere: the lane, then its endpoint.
        const moved = await moveLane(trx, lane, record)
        if (moved === undefined) return undefined
        await noteOutcome(trx, lane, record)
        await addCounts(trx, lane.endpoint.id, record)
        await addAttempts(trx, lane, record)
        if (record.park !== undefined) await addParked(trx, lane, record.park, record.now)
        return record.stop === undefined ? moved : { ...moved, mayGoOn: false }
      })
    },
  }
}

async function moveLane(db: Kysely<Schema>, lane: HeldLane, record: LaneRecord): Promise<RecordResult> {
  const { now, sent, tries, dueAt, leasedUntil, accepted, ended } = record
  const moved = await db
    .updateTable('webhook_lanes')
    .set(eb => ({
      ...{ sent, tries, due_at: dueAt, leased_until: leasedUntil ?? 0 },
      delivered: eb('delivered', '+', accepted),
      ...(ended === undefined ? {} : { ended, ended_at: now }),
    }))
    .where('id', '=', lane.id)
    .where('lease', '=', lane.lease)
    .where('ended_at', 'is', null)
    .returning(eb => [
      eb
        .selectFrom('advertiser_ledger as ledger')
        .select('ledger.event_number')
        .whereRef('ledger.advertiser_id', '=', 'webhook_lanes.advertiser_id')
        .as('last'),
      eb
        .selectFrom('webhook_endpoints as endpoint')
        .select('endpoint.state')
        .whereRef('endpoint.id', '=', 'webhook_lanes.endpoint_id')
        .as('state'),
      eb
        .selectFrom('advertisers as advertiser')
        .select('advertiser.status')
        .whereRef('advertiser.id', '=', 'webhook_lanes.advertiser_id')
        .as('status'),
    ])
    .executeTakeFirst()
  if (moved === undefined) return undefined
  return { mayGoOn: moved.state === 'active' && moved.status === 'active', hasMore: (moved.last ?? 0) > sent }
}

/** Any success ends a failure; a parked event that fails again says nothing about the endpoint. */
async function noteOutcome(db: Kysely<Schema>, lane: HeldLane, record: LaneRecord): Promise<void> {
  const { now, accepted, attempts, answerMs, skewMs, stop } = record
  const isFailing = attempts.at(-1)?.outcome !== 'accepted' && attempts.length > 0 && lane.kind !== 'parked'
  const first = accepted > 0 ? sql<number>`${now}` : sql<number>`coalesce(failing_since, ${now})`
  await db
    .updateTable('webhook_endpoints')
    .set({
      ...(accepted > 0 ? { succeeded_at: now, failing_since: null, failed_at: null, told: 0 } : {}),
      ...(isFailing ? { failing_since: first, failed_at: now } : {}),
      ...(answerMs === null ? {} : { answer_ms: Math.round(answerMs) }),
      ...(skewMs === null ? {} : { skew_ms: Math.round(skewMs) }),
    })
    .where('id', '=', lane.endpoint.id)
    .execute()
  if (stop === undefined) return
  await db
    .updateTable('webhook_endpoints')
    .set({ state: 'stopped', stopped_at: now, stop_reason: stop })
    .where('id', '=', lane.endpoint.id)
    .where('state', '=', 'active')
    .execute()
}

async function addCounts(db: Kysely<Schema>, endpointId: string, record: LaneRecord): Promise<void> {
  const failed = record.attempts.filter(({ outcome }) => outcome !== 'accepted').length
  await db
    .insertInto('webhook_hours')
    .values({
      endpoint_id: endpointId,
      hour: Math.floor(record.now / hourMs),
      accepted: record.accepted,
      failed,
    })
    .onConflict(conflict =>
      conflict.columns(['endpoint_id', 'hour']).doUpdateSet(eb => ({
        accepted: eb('webhook_hours.accepted', '+', eb.ref('excluded.accepted')),
        failed: eb('webhook_hours.failed', '+', eb.ref('excluded.failed')),
      })),
    )
    .execute()
}

async function addAttempts(db: Kysely<Schema>, lane: HeldLane, { attempts }: LaneRecord): Promise<void> {
  if (attempts.length === 0) return
  const rows = attempts.map(({ at, number, attempt, outcome, status, ms, answer }) => ({
    ...{ endpoint_id: lane.endpoint.id, at, advertiser_id: lane.advertiserId, number: number ?? 0 },
    ...{ attempt, outcome, status, ms: Math.round(ms), answer },
  }))
  await db
    .insertInto('webhook_attempts')
    .values(rows)
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

async function addParked(
  db: Kysely<Schema>,
  lane: HeldLane,
  { id, number, dueAt }: NonNullable<LaneRecord['park']>,
  now: number,
): Promise<void> {
  await db
    .insertInto('webhook_lanes')
    .values({
      ...{ id, endpoint_id: lane.endpoint.id, advertiser_id: lane.advertiserId, kind: 'parked' as const },
      ...{
        sent: number - 1,
        end_number: number,
        types: writeTypes(lane.types),
        due_at: dueAt,
        created_at: now,
      },
    })
    .execute()
}
