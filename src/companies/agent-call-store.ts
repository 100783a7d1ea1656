import { sql } from 'kysely'
import type { EpochMs } from '../platform/core/clock.ts'
import { prepareStatement } from '../platform/database/prepared-query.ts'
import type { Database } from '../platform/database/tables.ts'
import { integer, text } from '../platform/database/typed-values.ts'

/** Calls of an agent for one company on one day. Days are `YYYY-MM-DD` in Australian Eastern Standard Time. */
export interface AgentCallCount {
  agentId: number
  advertiserId: number
  day: string
  /** Empty: all calls. Otherwise the calls rejected with this problem. */
  code: string
  calls: number
  lastAt: EpochMs
}

export type AgentCallStore = ReturnType<typeof createAgentCallStore>

export function createAgentCallStore({ writer, reader }: Database) {
  const addOne = prepareStatement(writer, (count: AgentCallCount) =>
    writer
      .insertInto('agent_call_days')
      .columns(['agent_id', 'advertiser_id', 'day', 'code', 'calls', 'last_at'])
      // A deleted one must not prevent the counts of the others from being written.
      .expression(eb =>
        eb
          .selectFrom(['agents as agent', 'advertisers as advertiser'])
          .select(['agent.id', 'advertiser.id as advertiser_id'])
          .select([text(count.day).as('day'), text(count.code).as('code')])
          .select([integer(count.calls).as('calls'), integer(count.lastAt).as('last_at')])
          .where('agent.id', '=', count.agentId)
          .where('advertiser.id', '=', count.advertiserId),
      )
      .onConflict(conflict =>
        conflict.columns(['agent_id', 'day', 'advertiser_id', 'code']).doUpdateSet({
          calls: sql<number>`agent_call_days.calls + excluded.calls`,
          last_at: sql<number>`case when excluded.last_at > agent_call_days.last_at then excluded.last_at else agent_call_days.last_at end`,
        }),
      ),
  )

  return {
    /** Adds to the stored counts, so that counts of several nodes add up. Ignores agents and companies that no longer exist. */
    add: (counts: readonly AgentCallCount[]): Promise<void> =>
      writer.transaction().execute(async trx => {
        for (const count of counts) await addOne(count, trx)
      }),

    /** Counts from this day on, newest day first; the code is empty for the number of all calls. */
    days: (agentId: number, from: string): Promise<Pick<AgentCallCount, 'day' | 'code' | 'calls'>[]> =>
      reader
        .selectFrom('agent_call_days')
        .select(['day', 'code'])
        .select(eb => eb.cast<number>(eb.fn.sum('calls'), 'bigint').as('calls'))
        .where('agent_id', '=', agentId)
        .where('day', '>=', from)
        .groupBy(['day', 'code'])
        .orderBy('day', 'desc')
        .orderBy('code')
        .execute(),

    /** The last call for each company, within the days for which calls are kept. */
    last: (agentId: number): Promise<Pick<AgentCallCount, 'advertiserId' | 'lastAt'>[]> =>
      reader
        .selectFrom('agent_call_days')
        .select('advertiser_id as advertiserId')
        .select(eb => eb.fn.max('last_at').as('lastAt'))
        .where('agent_id', '=', agentId)
        .where('code', '=', '')
        .groupBy('advertiser_id')
        .execute(),
  }
}
