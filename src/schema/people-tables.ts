import type { Generated } from 'kysely'
import type { ChangeKind } from '../model/client-change.ts'
import type { AgentRole, Role } from '../model/principal.ts'
import type { FactorKind, StoredProof } from '../platform/core/session-owner.ts'

/** People's accounts and how they sign in: a part of the tables in tables.ts. */
export interface PeopleTables extends AgentTables {
  sessions: {
    hash: string
    id: string
    candidate_id: string
    browser: string
    created_at: number
    last_used_at: number
    expires_at: number
    /** Null for sessions older than this column, which were opened with a password. */
    proved_at: number | null
    proved_by: StoredProof | null
    /** How the session was opened, separated by spaces. */
    factors: string | null
    /** Network address, or the prefix that counts as one address. */
    network: string | null
    /** When the owner last proved the password, or a passkey that verified them. */
    password_at: number | null
    /** When and with which method the owner last proved a second factor. */
    factor_at: number | null
    factor_by: FactorKind | null
    /** The passkey with which the session was opened. */
    passkey_id: string | null
    /** When the session was opened with a code from an email. */
    code_at: number | null
    /** The OpenID provider that opened the session, the owner's ID there, and the provider's own session. */
    provider_issuer: string | null
    provider_subject: string | null
    provider_session: string | null
  }
  /** People's IDs at OpenID providers: see src/people/identities. */
  identities: {
    issuer: string
    subject: string
    candidate_id: string
    linked_at: number
    last_used_at: number
  }
  /** An account's authenticator app, at most one. */
  totp_factors: {
    candidate_id: string
    /** Encrypted, with the ID of its key: see src/people/factors/secret-rules.ts. */
    secret: string
    /** Step of the last accepted code: no code is accepted twice. */
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
  /** Recovery codes that have not been used. */
  recovery_codes: { candidate_id: string; hash: string; created_at: number }
  account_links: {
    hash: string
    purpose: 'confirm' | 'change-email' | 'reset'
    candidate_id: string
    email: string
    expires_at: number
    /** With the purpose `confirm` only: the data that the person entered when signing up. */
    password_hash: string | null
    first_name: string | null
    last_name: string | null
    continue_to: string | null
    browser_mark: string | null
  }
  /** Codes in emails: see src/people/codes. */
  email_codes: {
    /** Hash of a secret held by the browser that requested the code. */
    challenge: string
    purpose: string
    email: string
    /** MAC of the code, with SECRETS_KEY; null until the email is written. */
    mac: string | null
    tries: number
    made_at: number
    expires_at: number
    used_at: number | null
  }
  /** When a link in an email last set the password; sign-up and older releases write no row. */
  mailbox_passwords: { candidate_id: string; set_at: number }
  /** Changes to how a person signs in, and the links that undo them: see src/people/account/undo-store.ts. */
  undo_links: {
    /** Hash of a link, or the change's ID in the row for the change itself, which all its links need. */
    hash: string
    /** The ID of the email about the change. */
    change_id: string
    candidate_id: string
    kind: 'factor' | 'email' | 'password'
    /** The account's previous address. */
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
    /** The newest application of which an email or a visit has notified the member. */
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

/** The members of agents, and their requests: a part of the tables in tables.ts. */
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
  /** Calls by day, company and problem; the empty code counts all calls. */
  agent_call_days: {
    agent_id: number
    advertiser_id: number
    day: string
    code: string
    calls: number
    last_at: number
  }
  /** Changes that agents have requested for their clients, until the operator has decided. */
  client_changes: {
    client_id: string
    kind: ChangeKind
    id: string
    value: string
    requested_by: string
    requested_at: number
  }
}
