import { sql } from 'kysely'
import type { CallCount, UsageStore } from '../../advertisers/usage-ports.ts'
import { prepareQuery, prepareStatement } from '../database/prepared-query.ts'
import type { Database } from '../database/tables.ts'
import { integer, text } from '../database/typed-values.ts'

export function createUsageStore({ writer, reader }: Database): UsageStore {
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
    addCalls: counts =>
      writer.transaction().execute(async trx => {
        for (const count of counts) await addOne(count, trx)
      }),

    calls: async (advertiserId, from) => (await calls({ advertiserId, from })).rows,

    async lastApplicationAt(advertiserId) {
      const row = await lastApplication({ advertiserId })
      return row?.last_submitted_at ?? 0
    },

    async countApplications(advertiserId, from, before) {
      const row = await countApplications({ advertiserId, from, before })
      return row?.count ?? 0
    },

    countedDays: async (advertiserId, from) => (await countedDays({ advertiserId, from })).rows,

    async keepDays(advertiserId, days) {
      await writer
        .insertInto('application_days')
        .values(days.map(({ day, count }) => ({ advertiser_id: advertiserId, day, applications: count })))
        .onConflict(conflict => conflict.columns(['advertiser_id', 'day']).doNothing())
        .execute()
    },
  }
}
