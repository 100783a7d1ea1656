import type { OperatorRole } from '../../model/principal.ts'

/** The people who run the board, and what its processes share: a part of the tables in tables.ts. */
export interface OperatorTables {
  operators: { candidate_id: string; role: OperatorRole; created_at: number }
  operator_invitations: {
    hash: string
    id: string
    email: string
    role: OperatorRole
    created_at: number
    expires_at: number
  }
  leases: { name: string; holder: string; held_until: number }
  rate_counts: { name: string; key: string; time_window: number; hits: number; expires_at: number }
  /** The last run of each background task, whichever process ran it. */
  task_runs: {
    name: string
    started_at: number
    ended_at: number
    outcome: 'done' | 'failed'
    /** JSON: what it did and what is left. */
    detail: string
    /** The last failure, which stays after later runs. */
    failed_at: number | null
    fault: string | null
    every_seconds: number
  }
}
