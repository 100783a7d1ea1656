import type { AgentMemberStore } from '../../people/members/ports.ts'
import { prepareQuery } from '../database/prepared-query.ts'
import type { Database } from '../database/tables.ts'
import { bury } from '../writing/bury.ts'
import { keepPeople } from './keep-people.ts'

/** The people of agents. Their acts are in the board's log. */
export function createAgentMemberStore(database: Database): AgentMemberStore {
  const { reader } = database
  const workplaces = reader
    .selectFrom('agent_members as member')
    .innerJoin('agents as agent', 'agent.id', 'member.agent_id')
    .select(['agent.id as agentId', 'agent.name as agentName', 'member.role as role'])

  const find = prepareQuery(reader, (values: { agentId: number; candidateId: string }) =>
    workplaces
      .where('member.agent_id', '=', values.agentId)
      .where('member.candidate_id', '=', values.candidateId),
  )

  return {
    ...keepPeople(database, {
      of: 'agents',
      ownerOf: agentId => ({ agentId }),
      actOf: doing => ({ action: `agent.${doing}`, scope: 'board' }),
      notedOf: agentId => ({ agentId }),
      newMember: () => ({}),
      bury: (trx, agentId, candidateId, joinedAt) =>
        bury(trx, ['agent-member', agentId, candidateId, joinedAt]),
    }),

    find: (agentId, candidateId) => find({ agentId, candidateId }),

    workplacesOf: candidateId =>
      workplaces
        .where('member.candidate_id', '=', candidateId)
        .orderBy('agent.name')
        .orderBy('agent.id')
        .execute(),
  }
}
