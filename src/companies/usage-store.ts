import { sql } from 'kysely'
import type { EpochMs } from '../platform/core/clock.ts'
import { prepareQuery, prepareStatement } from '../platform/database/prepared-query.ts'
import type { Database } from '../platform/database/tables.ts'
import { integer, text } from '../platform/database/typed-values.ts'

/** Days are `YYYY-MM-DD` in Australian Eastern Standard Time. */
export interface DayCount {
  day: string
  count: number
}

export interface CallCount {
  advertiserId: number
  day: string
  calls: number
}

export type UsageStore = ReturnType<typeof createUsageStore>

export function createUsageStore({ writer, reader }: Database) {
  const addOne = prepareStatement(writer, ({ advertiserId, day, calls }: CallCount) =>
    writer
      .insertInto('api_call_days')
      .columns(['advertiser_id', 'day', 'calls'])
      // A deleted advertiser must not prevent the counts of the others from being written.
      .expression(eb =>
        eb
          .selectFrom('advertisers')
          .select(['id', text(day).as('day'), integer(calls).as('calls')])
          .where('id', '=', advertiserId),
      )
      .onConflict(conflict =>
        conflict
          .columns(['advertiser_id', 'day'])
          .doUpdateSet({ calls: sql<number>`api_call_days.calls + excluded.calls` }),
      ),
  )

  const lastApplication = prepareQuery(reader, ({ advertiserId }: { advertiserId: number }) =>
    reader
      .selectFrom('advertiser_ledger')
      .select('last_submitted_at')
      .where('advertiser_id', '=', advertiserId),
  )

  const calls = prepareStatement(reader, ({ advertiserId, from }: { advertiserId: number; from: string }) =>
    reader
      .selectFrom('api_call_days')
      .select(['day', 'calls as count'])
      .where('advertiser_id', '=', advertiserId)
      .where('day', '>=', from),
  )

  const countedDays = prepareStatement(
    reader,
    ({ advertiserId, from }: { advertiserId: number; from: string }) =>
      reader
        .selectFrom('application_days')
        .select(['day', 'applications as count'])
        .where('advertiser_id', '=', advertiserId)
        .where('day', '>=', from)
        .orderBy('day'),
  )

  // One range of an index: grouping by day would sort first.
  const countApplications = prepareQuery(
    reader,
    ({ advertiserId, from, before }: { advertiserId: number; from: number; before: number }) =>
      reader
        .selectFrom('applications')
        .select(eb => eb.fn.countAll<number>().as('count'))
        .where('advertiser_id', '=', advertiserId)
        .where('submitted_at', '>=', from)
        .where('submitted_at', '<', before),
  )

  return {
    /** Adds to the stored counts, so that counts of several nodes add up. Ignores advertisers that no longer exist. */
    addCalls: (counts: readonly CallCount[]): Promise<void> =>
      writer.transaction().execute(async trx => {
        for (const count of counts) await addOne(count, trx)
      }),

    /** Counts from this day on; days without calls are left out. */
    calls: async (advertiserId: number, from: string): Promise<DayCount[]> =>
      (await calls({ advertiserId, from })).rows,

    /** When the newest application arrived; 0 if there is none. */
    async lastApplicationAt(advertiserId: number): Promise<EpochMs> {
      const row = await lastApplication({ advertiserId })
      return row?.last_submitted_at ?? 0
    },

    /** Counts the applications from `from` (inclusive) to `before` (exclusive). */
    async countApplications(advertiserId: number, from: EpochMs, before: EpochMs): Promise<number> {
      const row = await countApplications({ advertiserId, from, before })
      return row?.count ?? 0
    },

    /** Days whose final counts are stored. */
    countedDays: async (advertiserId: number, from: string): Promise<DayCount[]> =>
      (await countedDays({ advertiserId, from })).rows,

    /** Stores final counts; changes nothing for a day that is already stored. */
    async keepDays(advertiserId: number, days: readonly DayCount[]): Promise<void> {
      await writer
        .insertInto('application_days')
        .values(days.map(({ day, count }) => ({ advertiser_id: advertiserId, day, applications: count })))
        .onConflict(conflict => conflict.columns(['advertiser_id', 'day']).doNothing())
        .execute()
    },
  }
}
