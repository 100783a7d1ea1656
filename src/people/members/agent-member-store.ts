import { type AgentMember, agentRoles } from '../../model/principal.ts'
import { prepareQuery } from '../../platform/database/prepared-query.ts'
import type { Database } from '../../platform/database/tables.ts'
import { workplaceStore } from './workplace-store.ts'

export type AgentMemberStore = ReturnType<typeof createAgentMemberStore>

/** The people of agents. Their acts are in the board's log. */
export function createAgentMemberStore(database: Database) {
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
    ...workplaceStore(database, {
      members: 'agent_members',
      invitations: 'agent_invitations',
      owner: { table: 'agents', column: 'agent_id' },
      roles: agentRoles,
      highest: 'admin',
      target: 'person',
      act: (doing, agentId, { before, after, ...entry }) => ({
        action: `agent.${doing}`,
        scope: 'board',
        ...entry,
        ...(before === undefined ? {} : { before: { agentId, ...before } }),
        ...(after === undefined ? {} : { after: { agentId, ...after } }),
      }),
      tombstone: (...member) => ['agent-member', ...member],
    }),

    /** Undefined if this person does not work for the agent, or there is no such agent. */
    find: (agentId: number, candidateId: string): Promise<AgentMember | undefined> =>
      find({ agentId, candidateId }),

    /** Sorted by the agent's name. */
    workplacesOf: (candidateId: string): Promise<AgentMember[]> =>
      workplaces
        .where('member.candidate_id', '=', candidateId)
        .orderBy('agent.name')
        .orderBy('agent.id')
        .execute(),
  }
}
