import { demoAgents } from '../../src/demo/world/world.ts'
import type { AgentRole, OperatorRole, Role } from '../../src/model/principal.ts'
import type { Database } from '../../src/platform/database/tables.ts'

/** Makes a person of the demo's agent. */
export async function joinAgent(
  { writer }: Pick<Database, 'writer'>,
  candidate_id: string,
  role: AgentRole = 'admin',
  agent_id: number = demoAgents[0].id,
): Promise<void> {
  await writer.insertInto('agent_members').values({ agent_id, candidate_id, role, created_at: 1 }).execute()
}

/** Makes a person an operator. */
export async function joinBoard(
  { writer }: Pick<Database, 'writer'>,
  candidate_id: string,
  role: OperatorRole = 'operator',
): Promise<void> {
  await writer.insertInto('operators').values({ candidate_id, role, created_at: 1 }).execute()
}

/** Makes a person a member of a company. */
export async function joinCompany(
  { writer }: Pick<Database, 'writer'>,
  candidate_id: string,
  advertiser_id: number,
  role: Role = 'admin',
): Promise<void> {
  await writer
    .insertInto('memberships')
    .values({ advertiser_id, candidate_id, role, created_at: 0 })
    .execute()
}
