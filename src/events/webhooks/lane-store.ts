import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import { prepareQuery, prepareStatement } from '../../platform/database/prepared-query.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { integer } from '../../platform/database/typed-values.ts'
import { readTypes, writeTypes } from '../feed/type-words.ts'
import type {
  Attempt,
  DeferredMessage,
  DueLane,
  HeldLane,
  LaneRecord,
  LaneStore,
  RecordResult,
} from './ports.ts'
import { longestPauseMs } from './schedule-rules.ts'

const hourMs = 3_600_000

/** Frees the lanes held by a process that has died. */
export async function freeLanes({ writer }: Database, processId: string): Promise<void> {
  await writer
    .updateTable('webhook_lanes')
    .set({ leased_until: 0 })
    .where('holder', '=', processId)
    .where('leased_until', '>', 0)
    .where('ended_at', 'is', null)
    .execute()
}

/** Updates lanes. A change names the number of the lease under which it was made, and has no effect under any other. */
export function createLaneStore(
  { writer, reader }: Database,
  processId: () => string | null = () => null,
): LaneStore {
  const moveLane = laneMover(writer)
  const noteOutcome = outcomeNoter(writer)
  const addCounts = counter(writer)
  const addAttempt = attemptWriter(writer)

  /** All leases last equally long: a lease that ends later was taken when the clock was ahead. */
  const isFree = (now: number, leaseMs: number) => (eb: ExpressionBuilder<Schema, 'webhook_lanes'>) =>
    eb.or([
      eb('webhook_lanes.leased_until', '<=', now),
      eb('webhook_lanes.leased_until', '>', now + 2 * leaseMs),
    ])

  /**
   * A lane without failures never waits, so that a clock that is set back delays nothing; otherwise `due_at` sets its
   * turn.
   */
  const isDue = (now: number) => (eb: ExpressionBuilder<Schema, 'webhook_lanes'>) =>
    eb.or([
      eb('webhook_lanes.due_at', '<=', now),
      eb('webhook_lanes.due_at', '>', now + longestPauseMs),
      eb.and([eb('webhook_lanes.tries', '=', 0), eb('webhook_lanes.kind', '!=', 'parked')]),
    ])

  return {
    findDue(question): Promise<DueLane[]> {
      const { now, leaseMs, advertiserIds, answeredWithinMs, exceptEndpoints, exceptOwners, max } = question
      return reader
        .selectFrom('webhook_lanes')
        .innerJoin('webhook_endpoints as endpoint', 'endpoint.id', 'webhook_lanes.endpoint_id')
        .innerJoin('advertisers as advertiser', 'advertiser.id', 'webhook_lanes.advertiser_id')
        .innerJoin('advertiser_ledger as ledger', 'ledger.advertiser_id', 'webhook_lanes.advertiser_id')
        .select(['webhook_lanes.id', 'endpoint.id as endpointId', 'endpoint.answer_ms as answerMs'])
        .select(ownerKey.as('owner'))
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
        .$if(exceptOwners.length > 0, query => query.where(ownerKey, 'not in', [...exceptOwners]))
        .orderBy('webhook_lanes.due_at')
        .orderBy('webhook_lanes.id')
        .limit(max)
        .execute()
    },

    async take(laneId, now, until): Promise<HeldLane | undefined> {
      const lane = await writer
        .updateTable('webhook_lanes')
        .set(eb => ({ lease: eb('lease', '+', 1), leased_until: until, holder: processId() }))
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
          'notice',
          'endpoint_id',
        ])
        .executeTakeFirst()
      if (lane === undefined) return undefined
      const endpoint = await writer
        .selectFrom('webhook_endpoints as endpoint')
        .select(['id', 'agent_id', 'url', 'scheme', 'generation', 'overlap_until', 'types'])
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
        id: lane.id,
        kind: lane.kind,
        lease: lane.lease,
        leasedUntil: until,
        advertiserId: lane.advertiser_id,
        sent: lane.sent,
        end: lane.end_number,
        tries: lane.tries,
        agentId: endpoint.agent_id,
        types: readTypes(lane.types ?? endpoint.types),
        notice: lane.notice,
        parked: endpoint.parked ?? 0,
        endpoint: { id, url, scheme, generation, overlapUntil },
      }
    },

    record(lane, record): Promise<RecordResult> {
      const isQuiet = record.attempts.length === 0 && record.accepted === 0 && record.stop === undefined
      if (isQuiet && record.park === undefined) return moveLane(lane, record, writer)
      return writer.transaction().execute(async trx => {
        // Lock order, as everywhere: the lane, then its endpoint.
        const moved = await moveLane(lane, record, trx)
        if (moved === undefined) return undefined
        await noteOutcome(lane, record, trx)
        if (record.stop !== undefined) await stopEndpoint(trx, lane, record.stop, record.now)
        await addCounts(lane, record, trx)
        for (const attempt of record.attempts) await addAttempt(lane, attempt, trx)
        for (const parked of record.park ?? []) await addDeferred(trx, lane, parked, record.now)
        return record.stop === undefined ? moved : { ...moved, mayGoOn: false }
      })
    },
  }
}

const ownerKey = sql<string>`coalesce('agent ' || endpoint.agent_id, 'advertiser ' || endpoint.advertiser_id)`

const ofEndpoint = <Column extends 'url' | 'generation' | 'overlap_until' | 'types' | 'state'>(
  eb: ExpressionBuilder<Schema, 'webhook_lanes'>,
  column: Column,
) =>
  eb
    .selectFrom('webhook_endpoints as endpoint')
    .select(`endpoint.${column}`)
    .whereRef('endpoint.id', '=', 'webhook_lanes.endpoint_id')

/** Runs for every twenty webhooks, so each statement is built once. */
function laneMover(db: Kysely<Schema>) {
  type Values = Pick<HeldLane, 'id' | 'lease'> &
    Pick<LaneRecord, 'sent' | 'tries' | 'dueAt' | 'accepted'> & {
      leasedUntil: number
      ended: LaneRecord['ended'] | null
      endedAt: number | null
    }
  const move = prepareQuery(db, (values: Values) =>
    db
      .updateTable('webhook_lanes')
      .set(eb => ({
        sent: values.sent,
        tries: values.tries,
        due_at: values.dueAt,
        leased_until: values.leasedUntil,
        delivered: eb('delivered', '+', integer(values.accepted)),
        ended: values.ended ?? null,
        ended_at: values.endedAt,
      }))
      .where('id', '=', values.id)
      .where('lease', '=', values.lease)
      .where('ended_at', 'is', null)
      .returning('types')
      .returning(eb => [
        ofEndpoint(eb, 'url').as('endpoint_url'),
        ofEndpoint(eb, 'generation').as('endpoint_generation'),
        ofEndpoint(eb, 'overlap_until').as('endpoint_overlap_until'),
        ofEndpoint(eb, 'types').as('endpoint_types'),
        ofEndpoint(eb, 'state').as('state'),
        eb
          .selectFrom('advertiser_ledger as ledger')
          .select('ledger.event_number')
          .whereRef('ledger.advertiser_id', '=', 'webhook_lanes.advertiser_id')
          .as('last'),
        eb
          .selectFrom('advertisers as advertiser')
          .select('advertiser.status')
          .whereRef('advertiser.id', '=', 'webhook_lanes.advertiser_id')
          .as('status'),
      ]),
  )
  return async (lane: HeldLane, record: LaneRecord, on: Kysely<Schema>): Promise<RecordResult> => {
    const { id, lease, endpoint } = lane
    const { now, sent, tries, dueAt, leasedUntil, accepted, ended } = record
    const moved = await move(
      {
        id,
        lease,
        sent,
        tries,
        dueAt,
        accepted,
        leasedUntil: leasedUntil ?? 0,
        ended: ended ?? null,
        endedAt: ended === undefined ? null : now,
      },
      on,
    )
    if (moved === undefined) return undefined
    return {
      mayGoOn: moved.state === 'active' && moved.status === 'active',
      hasMore: (moved.last ?? 0) > sent,
      current: {
        types: readTypes(moved.types ?? moved.endpoint_types ?? writeTypes(lane.types)),
        endpoint: {
          ...endpoint,
          url: moved.endpoint_url ?? endpoint.url,
          generation: moved.endpoint_generation ?? endpoint.generation,
          overlapUntil: moved.endpoint_overlap_until,
        },
      },
    }
  }
}

/**
 * Any success ends a failure; a parked event that fails again says nothing about the endpoint, unless the endpoint is
 * gone.
 */
function outcomeNoter(db: Kysely<Schema>) {
  type Values = {
    id: string
    answerMs: number | null
    skewMs: number | null
    succeededAt: number | null
    failedAt: number | null
  }
  const note = prepareStatement(db, ({ id, answerMs, skewMs, succeededAt, failedAt }: Values) => {
    const [success, failure] = [integer(succeededAt), integer(failedAt)]
    const kept = (column: 'failing_since' | 'failed_at') =>
      sql<number | null>`case when ${success} is null then ${sql.ref(column)} end`
    return db
      .updateTable('webhook_endpoints')
      .set({
        succeeded_at: sql`coalesce(${success}, succeeded_at)`,
        failing_since: sql`coalesce(${kept('failing_since')}, ${failure})`,
        failed_at: sql`coalesce(${failure}, ${kept('failed_at')})`,
        told: sql`case when ${success} is null then told else 0 end`,
        answer_ms: sql`coalesce(${integer(answerMs)}, answer_ms)`,
        skew_ms: sql`coalesce(${integer(skewMs)}, skew_ms)`,
      })
      .where('id', '=', id)
  })
  return ({ kind, endpoint }: HeldLane, record: LaneRecord, on: Kysely<Schema>) => {
    const { now, accepted, attempts, answerMs, skewMs } = record
    const isTold = kind !== 'parked' || record.stop !== undefined
    const isFailing = attempts.length > 0 && attempts.at(-1)?.outcome !== 'accepted' && isTold
    return note(
      {
        id: endpoint.id,
        succeededAt: accepted > 0 ? now : null,
        failedAt: isFailing ? now : null,
        answerMs: answerMs === null ? null : Math.round(answerMs),
        skewMs: skewMs === null ? null : Math.round(skewMs),
      },
      on,
    )
  }
}

async function stopEndpoint(
  db: Kysely<Schema>,
  { endpoint }: HeldLane,
  reason: NonNullable<LaneRecord['stop']>,
  now: number,
): Promise<void> {
  await db
    .updateTable('webhook_endpoints')
    .set({ state: 'stopped', stopped_at: now, stop_reason: reason })
    .where('id', '=', endpoint.id)
    .where('state', '=', 'active')
    .execute()
}

function counter(db: Kysely<Schema>) {
  type Values = { endpointId: string; hour: number; accepted: number; failed: number }
  const add = prepareStatement(db, ({ endpointId, hour, accepted, failed }: Values) =>
    db
      .insertInto('webhook_hours')
      .values({ endpoint_id: endpointId, hour, accepted, failed })
      .onConflict(conflict =>
        conflict.columns(['endpoint_id', 'hour']).doUpdateSet(eb => ({
          accepted: eb('webhook_hours.accepted', '+', eb.ref('excluded.accepted')),
          failed: eb('webhook_hours.failed', '+', eb.ref('excluded.failed')),
        })),
      ),
  )
  return ({ endpoint }: HeldLane, { now, accepted, attempts }: LaneRecord, on: Kysely<Schema>) => {
    const failed = attempts.filter(({ outcome }) => outcome !== 'accepted').length
    return add({ endpointId: endpoint.id, hour: Math.floor(now / hourMs), accepted, failed }, on)
  }
}

function attemptWriter(db: Kysely<Schema>) {
  type Values = Omit<Attempt, 'advertiserId'> & { endpointId: string; advertiserId: number }
  const add = prepareStatement(db, (values: Values) =>
    db
      .insertInto('webhook_attempts')
      .values({
        endpoint_id: values.endpointId,
        at: values.at,
        advertiser_id: values.advertiserId,
        number: values.number ?? 0,
        attempt: values.attempt,
        outcome: values.outcome,
        status: values.status,
        ms: values.ms,
        answer: values.answer,
      })
      .onConflict(conflict => conflict.doNothing()),
  )
  return ({ endpoint, advertiserId }: HeldLane, attempt: Attempt, on: Kysely<Schema>) => {
    const { at, number, outcome, status, ms, answer } = attempt
    return add(
      {
        endpointId: endpoint.id,
        advertiserId,
        at,
        number: number ?? 0,
        attempt: attempt.attempt,
        outcome,
        status,
        ms: Math.round(ms),
        answer,
      },
      on,
    )
  }
}

async function addDeferred(
  db: Kysely<Schema>,
  lane: HeldLane,
  { id, after, number, notice, dueAt }: DeferredMessage,
  now: number,
): Promise<void> {
  await db
    .insertInto('webhook_lanes')
    .values({
      id,
      endpoint_id: lane.endpoint.id,
      advertiser_id: lane.advertiserId,
      kind: 'parked' as const,
      sent: after,
      end_number: number,
      notice,
      types: writeTypes(lane.types),
      due_at: dueAt,
      created_at: now,
    })
    .execute()
}
