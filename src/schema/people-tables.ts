import type { Generated } from 'kysely'
import type { ChangeKind } from '../model/client-change.ts'
import type { AgentRole, Role } from '../model/principal.ts'
import type { FactorKind, StoredProof } from '../platform/core/session-owner.ts'

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
    proved_by: StoredProof | null
    /** How the session was opened, separated by spaces. */
    factors: string | null
    /** The network address, or the prefix that counts as one address. */
    network: string | null
    /** When the owner last showed the password, or a passkey that verified them. */
    password_at: number | null
    /** When and with what the owner last showed a second factor. */
    factor_at: number | null
    factor_by: FactorKind | null
    /** The passkey that the session was opened with. */
    passkey_id: string | null
    /** When it was opened with a code from an email. */
    code_at: number | null
    /** The OpenID provider that opened it, who it says the owner is, and its own session. */
    provider_issuer: string | null
    provider_subject: string | null
    provider_session: string | null
  }
  /** Who people are at OpenID providers: see src/people/identities. */
  identities: {
    issuer: string
    subject: string
    candidate_id: string
    linked_at: number
    last_used_at: number
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
  /** Codes in emails: see src/people/codes. */
  email_codes: {
    /** Hash of a secret of the browser that asked. */
    challenge: string
    purpose: string
    email: string
    /** Of the code, by SECRETS_KEY; null until the email is written. */
    mac: string | null
    tries: number
    made_at: number
    expires_at: number
    used_at: number | null
  }
  /** When a link in an email last set the password; the sign-up and older releases wrote nothing. */
  mailbox_passwords: { candidate_id: string; set_at: number }
  /** Changes of how a person signs in, and the links that undo them: see src/people/undo/undo-store.ts. */
  undo_links: {
    /** Hash of a link. The row of the change itself, without which none of its links works, has its ID here. */
    hash: string
    /** The ID of the email about the change. */
    change_id: string
    candidate_id: string
    kind: 'factor' | 'email' | 'password'
    /** The address of the account before the change. */
    email: string
    changed_at: number
    expires_at: number
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
  /** Withdrawn applications for the next email to a member. */
  untold_withdrawals: { advertiser_id: number; candidate_id: string; application_id: number }
  invitations: {
    hash: string
    /** Hash of the link in the previous email, which also works. */
    former_hash: string | null
    id: string
    advertiser_id: number
    email: string
    role: Role
    created_at: number
    expires_at: number
  }
}

/** The people of agents, and what they ask for: a part of the tables in tables.ts. */
interface AgentTables {
  agent_members: { agent_id: number; candidate_id: string; role: AgentRole; created_at: number }
  agent_invitations: {
    hash: string
    /** Hash of the link in the previous email, which also works. */
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
