import type { Generated } from 'kysely'
import type { ProofKind } from '../../model/candidate.ts'
import type { Role } from '../../model/principal.ts'
import type { AgentTables } from './agent-tables.ts'

/** Who may enter, and how they sign in: a part of the tables in tables.ts. */
export interface PeopleTables extends AgentTables {
  sessions: {
    hash: string
    id: string
    candidate_id: string
    browser: string
    created_at: number
    last_used_at: number
    expires_at: number
    /** Null for sessions from before they existed: opened by a password. */
    proved_at: number | null
    proved_by: ProofKind | null
    /** How the session was opened, separated by spaces. */
    factors: string | null
    /** The network address, or the prefix that counts as one address. */
    network: string | null
  }
  /** One authenticator app for each account. */
  totp_factors: {
    candidate_id: string
    /** Encrypted, with the ID of its key: see src/people/factors/secret-rules.ts. */
    secret: string
    /** The step of the last accepted code: no code is accepted twice. */
    last_step: number
    created_at: number
    last_used_at: number
  }
  passkeys: {
    /** The ID of the credential, in base64url. */
    id: string
    candidate_id: string
    name: string
    rp_id: string
    public_key: string
    counter: number
    /** Separated by spaces. */
    transports: string
    created_at: number
    last_used_at: number
  }
  /** Those that have not been used. */
  recovery_codes: { candidate_id: string; hash: string; created_at: number }
  account_links: {
    hash: string
    purpose: 'confirm' | 'change-email' | 'reset'
    candidate_id: string
    email: string
    expires_at: number
    /** With the purpose `confirm` only: what the person entered when signing up. */
    password_hash: string | null
    first_name: string | null
    last_name: string | null
    continue_to: string | null
    browser_mark: string | null
  }
  sign_in_failures: { key: string; failures: number; last_failed_at: number }
  memberships: {
    advertiser_id: number
    candidate_id: string
    role: Role
    created_at: number
    notify: Generated<'off' | 'soon' | 'daily'>
    /** The newest application that an email or a visit has told the member of. */
    told_up_to: Generated<number>
    told_at: Generated<number>
    visited_at: Generated<number | null>
    visited_before_at: Generated<number | null>
  }
  invitations: {
    hash: string
    /** Of the link in the email before, which works, too. */
    former_hash: string | null
    id: string
    advertiser_id: number
    email: string
    role: Role
    created_at: number
    expires_at: number
  }
}
