import { sql } from 'kysely'
import type { Agent, AgentOfAdvertiser, AgentStore } from '../../advertisers/ports.ts'
import type { Database } from '../database/tables.ts'
import { addLanesOfAgent, removeLanesOfAgent } from '../events/agent-lanes.ts'
import { withLedger } from '../postgres/ledger-turns.ts'
import { bury } from '../writing/bury.ts'
import { recordAudit } from '../writing/record-audit.ts'
import { addEvent, drawNumber } from '../writing/record-event.ts'

/** IDs that we assign begin here, to distinguish them from those of advertisers at a glance. */
const firstAgentId = 20_000_001

const agentColumns = ['id', 'name', 'created_at as createdAt'] as const

export function createAgentStore(database: Database): AgentStore {
  const { writer, reader } = database
  return {
    add: ({ id, name, createdAt }): Promise<Agent | undefined> => {
      const next = sql<number>`(select coalesce(max(id) + 1, ${firstAgentId}) from agents)`
      return writer.transaction().execute(async trx => {
        const agent = await trx
          .insertInto('agents')
          .values({ id: id ?? next, name, created_at: createdAt })
          .onConflict(conflict => conflict.column('id').doNothing())
          .returning(agentColumns)
          .executeTakeFirst()
        if (agent !== undefined)
          await recordAudit(trx, { action: 'agent.add', scope: 'board', target: `agent:${agent.id}` })
        return agent
      })
    },

    async list() {
      const rows = await reader
        .selectFrom('agents as agent')
        .leftJoin('agent_authorisations as authorisation', 'authorisation.agent_id', 'agent.id')
        .select(['agent.id', 'agent.name', 'agent.created_at', 'authorisation.advertiser_id'])
        .orderBy('agent.id')
        .orderBy('authorisation.advertiser_id')
        .execute()
      const agents = new Map<number, Agent & { advertiserIds: number[] }>()
      for (const { id, name, created_at, advertiser_id } of rows) {
        const agent = agents.get(id) ?? { id, name, createdAt: created_at, advertiserIds: [] }
        if (advertiser_id !== null) agent.advertiserIds.push(advertiser_id)
        agents.set(id, agent)
      }
      return [...agents.values()]
    },

    find: (agentId): Promise<Agent | undefined> =>
      reader.selectFrom('agents').select(agentColumns).where('id', '=', agentId).executeTakeFirst(),

    listFor: (advertiserId): Promise<AgentOfAdvertiser[]> =>
      reader
        .selectFrom('agents as agent')
        .leftJoin('agent_authorisations as authorisation', join =>
          join
            .onRef('authorisation.agent_id', '=', 'agent.id')
            .on('authorisation.advertiser_id', '=', advertiserId),
        )
        .select(['agent.id', 'agent.name', 'authorisation.authorised_at as authorisedAt'])
        .orderBy('agent.name')
        .orderBy('agent.id')
        .execute(),

    companiesOf: agentId =>
      reader
        .selectFrom('agent_authorisations as authorisation')
        .innerJoin('advertisers as advertiser', 'advertiser.id', 'authorisation.advertiser_id')
        .select(['advertiser.id as advertiserId', 'advertiser.name', 'advertiser.status'])
        .select('authorisation.authorised_at as authorisedAt')
        .where('authorisation.agent_id', '=', agentId)
        .orderBy('advertiser.name')
        .orderBy('advertiser.id')
        .execute(),

    authorise: (advertiserId, agentId, at) =>
      withLedger(database, advertiserId, async trx => {
        const number = await drawNumber(trx, advertiserId, at, { changesList: false })
        // Locks the agent: of two concurrent calls, the second finds the authorisation of the first.
        const { last_authorised_at } = await trx
          .updateTable('agents')
          .set(eb => ({
            last_authorised_at: eb
              .case()
              .when('last_authorised_at', '>=', at)
              .then(eb('last_authorised_at', '+', 1))
              .else(eb.val(at))
              .end(),
          }))
          .where('id', '=', agentId)
          .returning('last_authorised_at')
          .executeTakeFirstOrThrow()
        const added = await trx
          .insertInto('agent_authorisations')
          .values({ advertiser_id: advertiserId, agent_id: agentId, authorised_at: last_authorised_at })
          .onConflict(conflict => conflict.columns(['advertiser_id', 'agent_id']).doNothing())
          .executeTakeFirst()
        if (added.numInsertedOrUpdatedRows !== 1n) return
        await addEvent(trx, advertiserId, number, 'agent.authorised', null, { agentId })
        await addLanesOfAgent(trx, agentId, advertiserId, at)
        await recordAudit(trx, {
          ...{ action: 'agent.authorise', scope: { advertiserId }, target: `agent:${agentId}` },
        })
      }),

    withdraw: (advertiserId, agentId, at) =>
      withLedger(database, advertiserId, async trx => {
        const own = trx
          .selectFrom('agent_authorisations')
          .select('authorised_at')
          .where('advertiser_id', '=', advertiserId)
          .where('agent_id', '=', agentId)
        if ((await own.executeTakeFirst()) === undefined) return false
        // Locks the ledger before the authorisation, as `authorise` does.
        const number = await drawNumber(trx, advertiserId, at, { changesList: false })
        const gone = await trx
          .deleteFrom('agent_authorisations')
          .where('advertiser_id', '=', advertiserId)
          .where('agent_id', '=', agentId)
          .returning('authorised_at')
          .executeTakeFirst()
        if (gone === undefined) return false
        await bury(trx, ['agent', advertiserId, agentId, gone.authorised_at])
        await addEvent(trx, advertiserId, number, 'agent.withdrawn', null, { agentId })
        await removeLanesOfAgent(trx, agentId, advertiserId)
        await recordAudit(trx, {
          ...{ action: 'agent.withdraw', scope: { advertiserId }, target: `agent:${agentId}` },
        })
        return true
      }),
  }
}
