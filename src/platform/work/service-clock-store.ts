import type { Kysely } from 'kysely'
import { recordAudit } from '../audit/record-audit-store.ts'
import type { EpochMs } from '../core/clock.ts'
import type { ServiceClock } from '../core/steady-time-rules.ts'
import type { Database, Schema } from '../database/tables.ts'

export type ServiceClockStore = ReturnType<typeof createServiceClockStore>

export function createServiceClockStore({ writer, reader, dialect }: Database) {
  async function find(db: Kysely<Schema>, isLocked = false): Promise<ServiceClock> {
    const wanted = db
      .selectFrom('service_clock')
      .select(['ticks', 'running_ms as runningMs', 'seen_at as seenAt', 'doubted_from as doubtedFrom'])
      .select(['doubt_ms as doubtMs', 'further_ms as furtherMs'])
    const found = await (isLocked && dialect === 'postgres' ? wanted.forUpdate() : wanted).executeTakeFirst()
    if (found !== undefined) return found
    // Release 0.1.0 recorded no other sign of life.
    const { seenAt } = await db
      .selectFrom('task_runs')
      .select(({ fn }) => fn.max<number | null>('ended_at').as('seenAt'))
      .executeTakeFirstOrThrow()
    return { ticks: 0, runningMs: 0, seenAt, doubtedFrom: null, doubtMs: 0, furtherMs: 0 }
  }

  return {
    read: (): Promise<ServiceClock> => find(reader),

    /** Reads and writes atomically. Writes nothing if the function returns the same object. */
    update: (change: (found: ServiceClock) => ServiceClock): Promise<ServiceClock> =>
      writer.transaction().execute(async trx => {
        const found = await find(trx, true)
        const next = change(found)
        if (next === found) return found
        const row = {
          ticks: next.ticks,
          running_ms: next.runningMs,
          seen_at: next.seenAt ?? 0,
          doubted_from: next.doubtedFrom,
          doubt_ms: next.doubtMs,
          further_ms: next.furtherMs,
        }
        await trx
          .insertInto('service_clock')
          .values({ id: 1, ...row })
          .onConflict(conflict => conflict.column('id').doUpdateSet(row))
          .execute()
        return next
      }),

    /** Marks the clock as trusted, with an audit entry. Returns false if it already was. */
    confirm: (now: EpochMs): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        const { doubtedFrom, doubtMs } = await find(trx, true)
        if (doubtedFrom === null) return false
        await trx.updateTable('service_clock').set({ doubted_from: null, seen_at: now }).execute()
        await recordAudit(trx, {
          action: 'clock.confirm',
          scope: 'board',
          target: 'board:0',
          after: { doubtMs },
        })
        return true
      }),
  }
}
