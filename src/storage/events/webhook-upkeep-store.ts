import { sql } from 'kysely'
import type { EndpointState, WebhookFigures, WebhookUpkeepStore } from '../../events/webhooks/ports.ts'
import { stopNotice } from '../../events/webhooks/schedule-rules.ts'
import type { Database } from '../database/tables.ts'
import { withLedger } from '../postgres/ledger-turns.ts'
import { queueNotices } from '../writing/queue-notice.ts'
import { addEvent, drawNumber } from '../writing/record-event.ts'

const hourMs = 3_600_000

export function createWebhookUpkeepStore(database: Database): WebhookUpkeepStore {
  const { writer, reader } = database
  return {
    async failing(failedForMs) {
      const rows = await reader
        .selectFrom('webhook_endpoints')
        .select(['id', 'advertiser_id', 'failing_since', 'failed_at', 'told', 'state', 'stopped_at'])
        .where('failing_since', 'is not', null)
        .where('told', '<', stopNotice)
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
        ...{
          id: row.id,
          advertiserId: row.advertiser_id,
          told: row.told,
          isStopped: row.state === 'stopped',
        },
        failingSince: row.failing_since ?? 0,
        failedAt: row.failed_at ?? 0,
      }))
    },

    async tell({ id, advertiserId, told, failingSince }, notice, isLast, now) {
      const note = (db: Database['writer']) =>
        db
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
      // An agent has no people here: it sees the state in its list of endpoints.
      if (advertiserId === null) return (await note(writer)).numUpdatedRows > 0n
      return withLedger(database, advertiserId, async trx => {
        const changed = await note(trx)
        if (changed.numUpdatedRows === 0n) return false
        if (isLast || told === 0) {
          const number = await drawNumber(trx, advertiserId, now, { changesList: false })
          const since = new Date(failingSince).toISOString()
          const type = isLast ? 'webhook.stopped' : 'webhook.failing'
          await addEvent(trx, advertiserId, number, type, null, { endpointId: id, since })
        }
        const admins = await trx
          .selectFrom('memberships')
          .select('candidate_id')
          .where('advertiser_id', '=', advertiserId)
          .where('role', '=', 'admin')
          .execute()
        const notices = admins.map(({ candidate_id: candidateId }) => ({
          kind: 'webhook-failing' as const,
          ...{ candidateId, advertiserId, endpointId: id, isStopped: isLast },
        }))
        await queueNotices(trx, notices, now)
        return true
      })
    },

    async prune(before, mostFailures, mostSuccesses) {
      const old = await writer.deleteFrom('webhook_attempts').where('at', '<', before).executeTakeFirst()
      await writer
        .deleteFrom('webhook_hours')
        .where('hour', '<', Math.floor(before / hourMs))
        .execute()
      const endpoints = await reader.selectFrom('webhook_endpoints').select('id').execute()
      let removed = Number(old.numDeletedRows)
      for (const { id } of endpoints) {
        for (const [isSuccess, most] of [
          [true, mostSuccesses],
          [false, mostFailures],
        ] as const) {
          const { numAffectedRows } = await sql`delete from webhook_attempts
            where endpoint_id = ${id} and (outcome = 'accepted') = ${isSuccess ? sql`(1 = 1)` : sql`(1 = 0)`}
            and at < (select at from webhook_attempts
              where endpoint_id = ${id} and (outcome = 'accepted') = ${isSuccess ? sql`(1 = 1)` : sql`(1 = 0)`}
              order by at desc limit 1 offset ${most - 1})`.execute(writer)
          removed += Number(numAffectedRows)
        }
      }
      return removed
    },

    async removeEnded(before, most) {
      const found = writer
        .selectFrom('webhook_lanes')
        .select('id')
        .where('ended_at', '<', before)
        .orderBy('ended_at')
        .limit(most)
      const gone = await writer.deleteFrom('webhook_lanes').where('id', 'in', found).executeTakeFirst()
      return Number(gone.numDeletedRows)
    },

    figures: now => readFigures(database, now),

    async isUsed() {
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
    behindMs: oldest === null ? 0 : Math.max(now - oldest, 0),
    // One receiver's clock says little about ours.
    skewMs: skews.length < 3 ? null : (skews[Math.floor(skews.length / 2)]?.skew_ms ?? null),
  }
}
