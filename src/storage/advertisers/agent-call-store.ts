import { sql } from 'kysely'
import type { AgentCallCount, AgentCallStore } from '../../advertisers/agent-calls-ports.ts'
import { prepareStatement } from '../database/prepared-query.ts'
import type { Database } from '../database/tables.ts'
import { integer, text } from '../database/typed-values.ts'

export function createAgentCallStore({ writer, reader }: Database): AgentCallStore {
  const addOne = prepareStatement(writer, (count: AgentCallCount) =>
    writer
      .insertInto('agent_call_days')
      .columns(['agent_id', 'advertiser_id', 'day', 'code', 'calls', 'last_at'])
      // One that was deleted must not prevent the counts of the others from being written.
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
    add: counts =>
      writer.transaction().execute(async trx => {
        for (const count of counts) await addOne(count, trx)
      }),

    days: (agentId, from) =>
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

    last: agentId =>
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
