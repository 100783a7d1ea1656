import type { AgentRole } from '../../model/principal.ts'

/** The people of agents: a part of the tables in tables.ts. */
export interface AgentTables {
  agent_members: { agent_id: number; candidate_id: string; role: AgentRole; created_at: number }
  agent_invitations: {
    hash: string
    /** Of the link in the email before, which works, too. */
    former_hash: string | null
    id: string
    agent_id: number
    email: string
    role: AgentRole
    created_at: number
    expires_at: number
  }
}
