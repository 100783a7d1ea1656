import type { Actor } from '../../core/async/acting.ts'

/** The audit log: a part of the tables in tables.ts. See src/storage/writing/record-audit.ts. */
export interface AuditTables {
  /** One chain per scope: an advertiser's ID, or 0 for the board. IDs only, no names, addresses or secrets. */
  audit_entries: {
    scope: number
    number: number
    at: number
    actor_kind: Actor['kind']
    actor_id: string
    proof: string
    action: string
    target: string
    /** JSON with the fields that the action lists: see src/model/audit.ts. */
    before: string | null
    after: string | null
    request_id: string | null
    prev: string
    hash: string
    /** Not part of the hash, since it expires. */
    address: string | null
  }
  /** The last entry of each chain; its row is locked while an entry is added. */
  audit_heads: {
    scope: number
    number: number
    at: number
    hash: string
    /** The month (YYYY-MM) of the last entry, the first number in it, and the hash before. */
    month: string
    first_number: number
    first_prev: string
  }
  /** Sealed months. Their seals stay when their entries are dropped. */
  audit_seals: {
    scope: number
    month: string
    first_number: number
    last_number: number
    prev: string
    hash: string
    dropped_at: number | null
  }
}
