import { sql, type Transaction } from 'kysely'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { addClientEvents, addEvent, nextEventNumber } from '../../schema/writing/record-event.ts'
import { withLedger } from '../../schema/writing/with-ledger.ts'
import type { EndpointOwner, EndpointState } from './ports.ts'
import { stopNoticeNumber } from './schedule-rules.ts'
import { endpointEventsOfAgent, queueEndpointNotices } from './tell-owner-store.ts'

/** An endpoint that has failed for a while. */
export interface FailingEndpoint {
  id: string
  owner: EndpointOwner
  failingSince: EpochMs
  failedAt: EpochMs
  /** Number of notices sent. */
  told: number
  isStopped: boolean
}

/** Figures for metrics and "dossier doctor". */
export interface WebhookFigures {
  endpoints: Readonly<Record<EndpointState, number>>
  /** Number of endpoints that wait for a new secret. */
  keysLost: number
  /** Age of the oldest event that an active endpoint has not yet received. */
  behindMs: number
  /** Median difference of the receivers' clocks, if there are enough receivers. */
  skewMs: number | null
}

const hourMs = 3_600_000

export type WebhookUpkeepStore = ReturnType<typeof createWebhookUpkeepStore>

export function createWebhookUpkeepStore(database: Database) {
  const { writer, reader, hints } = database

  /** Returns false if its events were sent again, or another process was faster. */
  const notifyAdmins = (endpointId: string, owner: EndpointOwner, now: number) =>
    writer.transaction().execute(async trx => {
      const lanes = await trx
        .updateTable('webhook_lanes')
        .set({ notified_at: now })
        .where('endpoint_id', '=', endpointId)
        .where('kind', '<>', 'live')
        .where('ended', '=', 'given-up')
        .where('notified_at', 'is', null)
        .executeTakeFirst()
      if (lanes.numUpdatedRows === 0n) return false
      await queueEndpointNotices(trx, owner, { endpointId, isStopped: false, isGivenUp: true }, now)
      return true
    })

  return {
    /** A failure with a later time was recorded when the clock was ahead, and counts from now on. */
    async correctTimes(now: EpochMs): Promise<void> {
      for (const column of ['failing_since', 'failed_at'] as const)
        await writer
          .updateTable('webhook_endpoints')
          .set({ [column]: now })
          .where(column, '>', now)
          .execute()
    },

    async failing(failedForMs: number): Promise<FailingEndpoint[]> {
      const rows = await reader
        .selectFrom('webhook_endpoints')
        .select([
          'id',
          'advertiser_id',
          'agent_id',
          'failing_since',
          'failed_at',
          'told',
          'state',
          'stopped_at',
        ])
        .where('failing_since', 'is not', null)
        .where('told', '<', stopNoticeNumber)
        .where(eb =>
          eb.or([
            eb('state', '=', 'stopped'),
            eb.and([
              eb('state', '=', 'active'),
              eb('failed_at', '>=', sql<number>`failing_since + ${failedForMs}`),
            ]),
          ]),
        )
        .orderBy('failing_since')
        .limit(1000)
        .execute()
      return rows.map(row => ({
        id: row.id,
        owner: row.agent_id === null ? { advertiserId: row.advertiser_id ?? 0 } : { agentId: row.agent_id },
        told: row.told,
        isStopped: row.state === 'stopped',
        failingSince: row.failing_since ?? 0,
        failedAt: row.failed_at ?? 0,
      }))
    },

    /**
     * Queues the emails, adds the event to the log of the advertiser or of the agent's clients, and with the last
     * notice stops the endpoint; false if the endpoint has changed since.
     */
    async tell(
      { id, owner, told, failingSince }: FailingEndpoint,
      notice: number,
      isLast: boolean,
      now: EpochMs,
    ): Promise<boolean> {
      const type = isLast ? 'webhook.stopped' : 'webhook.failing'
      const isEvent = isLast || told === 0
      const about = { endpointId: id, isStopped: isLast }
      const note = (trx: Transaction<Schema>) =>
        trx
          .updateTable('webhook_endpoints')
          .set({
            told: notice,
            ...(isLast
              ? {
                  state: 'stopped' as const,
                  stopped_at: sql<number>`coalesce(stopped_at, ${now})`,
                  stop_reason: sql<'failing'>`coalesce(stop_reason, 'failing')`,
                }
              : {}),
          })
          .where('id', '=', id)
          .where('told', '=', told)
          .where('failing_since', '=', failingSince)
          .where('state', 'in', ['active', 'stopped'])
          .executeTakeFirst()
      if ('agentId' in owner) {
        const events = await writer.transaction().execute(async trx => {
          const changed = await note(trx)
          if (changed.numUpdatedRows === 0n) return undefined
          await queueEndpointNotices(trx, owner, about, now)
          if (!isEvent) return []
          const added = await endpointEventsOfAgent(trx, owner.agentId, type, {
            endpointId: id,
            since: failingSince,
          })
          await addClientEvents(trx, added, now)
          return added
        })
        for (const { clientId } of events ?? []) hints?.changed({ clientId }, [type])
        return events !== undefined
      }
      const { advertiserId } = owner
      return withLedger(database, advertiserId, async trx => {
        const changed = await note(trx)
        if (changed.numUpdatedRows === 0n) return false
        if (isEvent) {
          const number = await nextEventNumber(trx, advertiserId, now, { changesList: false })
          const since = new Date(failingSince).toISOString()
          await addEvent(trx, advertiserId, number, type, null, { endpointId: id, since })
        }
        await queueEndpointNotices(trx, owner, about, now)
        return true
      })
    },

    /**
     * Queues an email to the admins of each endpoint with events that failed since the last email, unless that is more
     * recent than `pauseMs`. Returns the number of endpoints.
     */
    async notifyGivenUp(now: EpochMs, pauseMs: number): Promise<number> {
      const untold = await reader
        .selectFrom('webhook_lanes as lane')
        .innerJoin('webhook_endpoints as endpoint', 'endpoint.id', 'lane.endpoint_id')
        .select(['endpoint.id', 'endpoint.advertiser_id as advertiserId', 'endpoint.agent_id as agentId'])
        .distinct()
        .where('lane.ended_at', 'is not', null)
        .where('lane.ended', '=', 'given-up')
        .where('lane.notified_at', 'is', null)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('webhook_lanes as other')
                .select('other.id')
                .whereRef('other.endpoint_id', '=', 'endpoint.id')
                .where('other.kind', '<>', 'live')
                .where('other.notified_at', '>', now - pauseMs)
                // Later times were recorded when the clock was ahead.
                .where('other.notified_at', '<=', now),
            ),
          ),
        )
        .limit(1000)
        .execute()
      let count = 0
      for (const { id, advertiserId, agentId } of untold) {
        const owner = agentId === null ? { advertiserId: advertiserId as number } : { agentId }
        if (await notifyAdmins(id, owner, now)) count += 1
      }
      return count
    },

    /**
     * Removes attempts before that time or beyond the maximum per endpoint, and counts of earlier hours. Returns how
     * many.
     */
    async prune(before: EpochMs, maxFailures: number, maxSuccesses: number): Promise<number> {
      const old = await writer.deleteFrom('webhook_attempts').where('at', '<', before).executeTakeFirst()
      await writer
        .deleteFrom('webhook_hours')
        .where('hour', '<', Math.floor(before / hourMs))
        .execute()
      const endpoints = await reader.selectFrom('webhook_endpoints').select('id').execute()
      let removed = Number(old.numDeletedRows)
      for (const { id } of endpoints) {
        for (const [isSuccess, max] of [
          [true, maxSuccesses],
          [false, maxFailures],
        ] as const) {
          const { numAffectedRows } = await sql`delete from webhook_attempts
            where endpoint_id = ${id} and (outcome = 'accepted') = ${isSuccess ? sql`(1 = 1)` : sql`(1 = 0)`}
            and at < (select at from webhook_attempts
              where endpoint_id = ${id} and (outcome = 'accepted') = ${isSuccess ? sql`(1 = 1)` : sql`(1 = 0)`}
              order by at desc limit 1 offset ${max - 1})`.execute(writer)
          removed += Number(numAffectedRows)
        }
      }
      return removed
    },

    /** Removes lanes that ended before that time. */
    async removeEnded(before: EpochMs, max: number): Promise<number> {
      const found = writer
        .selectFrom('webhook_lanes')
        .select('id')
        .where('ended_at', '<', before)
        .orderBy('ended_at')
        .limit(max)
      const gone = await writer.deleteFrom('webhook_lanes').where('id', 'in', found).executeTakeFirst()
      return Number(gone.numDeletedRows)
    },

    figures: (now: EpochMs): Promise<WebhookFigures> => readFigures(database, now),

    /** Whether there is an active endpoint. */
    async isUsed(): Promise<boolean> {
      const active = database.reader
        .selectFrom('webhook_endpoints')
        .select('id')
        .where('state', '=', 'active')
      return (await active.limit(1).executeTakeFirst()) !== undefined
    },
  }
}

async function readFigures({ reader }: Database, now: number): Promise<WebhookFigures> {
  const counting = reader
    .selectFrom('webhook_endpoints')
    .select(({ fn, eb }) => [
      eb
        .case()
        .when(eb.and([eb('state', '=', 'active'), eb('failing_since', 'is not', null)]))
        .then(sql<string>`'failing'`)
        .else(eb.ref('state'))
        .end()
        .as('condition'),
      fn.countAll<number>().as('count'),
      fn.count<number>('key_lost_at').as('keysLost'),
    ])
    .groupBy('condition')
    .execute()
  const finding = reader
    .selectFrom('webhook_lanes as lane')
    .innerJoin('webhook_endpoints as endpoint', 'endpoint.id', 'lane.endpoint_id')
    .innerJoin('advertiser_ledger as ledger', 'ledger.advertiser_id', 'lane.advertiser_id')
    .innerJoin('events as event', join =>
      join.onRef('event.advertiser_id', '=', 'lane.advertiser_id').onRef('event.number', '=', eb =>
        eb
          .selectFrom('events as first')
          .select(({ fn }) => fn.min<number>('first.number').as('number'))
          .whereRef('first.advertiser_id', '=', 'lane.advertiser_id')
          .whereRef('first.number', '>', 'lane.sent'),
      ),
    )
    .select(({ fn }) => fn.min<number | null>('event.number').as('oldest'))
    .where('lane.kind', '=', 'live')
    .where('lane.ended_at', 'is', null)
    .where('endpoint.state', '=', 'active')
    .whereRef('ledger.event_number', '>', 'lane.sent')
    .executeTakeFirstOrThrow()
  const comparing = reader
    .selectFrom('webhook_endpoints')
    .select('skew_ms')
    .where('skew_ms', 'is not', null)
    .orderBy('skew_ms')
    .limit(10_000)
    .execute()
  const [states, { oldest }, skews] = await Promise.all([counting, finding, comparing])
  const endpoints: Record<EndpointState, number> = { new: 0, active: 0, failing: 0, paused: 0, stopped: 0 }
  for (const { condition, count } of states) endpoints[condition as EndpointState] = count
  return {
    endpoints,
    keysLost: states.reduce((sum, { keysLost }) => sum + keysLost, 0),
    behindMs: oldest === null ? 0 : Math.max(now - oldest, 0),
    // One receiver's clock says little about ours.
    skewMs: skews.length < 3 ? null : (skews[Math.floor(skews.length / 2)]?.skew_ms ?? null),
  }
}
