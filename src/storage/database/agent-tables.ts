import type { AgentRole } from '../../model/principal.ts'
import type { ChangeKind } from '../../share/clients/change-ports.ts'

/** The people of agents, and what they ask for: a part of the tables in tables.ts. */
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
  /** Calls by day, company and problem; all calls with the empty code. */
  agent_call_days: {
    agent_id: number
    advertiser_id: number
    day: string
    code: string
    calls: number
    last_at: number
  }
  /** What agents have asked to change of their clients, until the operator has decided. */
  client_changes: {
    client_id: string
    kind: ChangeKind
    id: string
    value: string
    requested_by: string
    requested_at: number
  }
}
