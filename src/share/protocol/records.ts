import type { Candidate } from '../../model/candidate.ts'
import type { EpochMs } from '../../platform/core/clock.ts'

/** A registered third-party application. */
export interface Client {
  id: string
  name: string
  agentId: number | null
  /** The scopes it may request. */
  scopes: string[]
  requirePkce: boolean
  disabledAt: EpochMs | null
  logoHash: string | null
  /** The client's privacy notice, for candidates. */
  privacyUrl: string | null
  redirectUris: string[]
  /** SHA-256 of each valid secret; two during a rotation. */
  secretHashes: string[]
}

/** A consent in force. */
export interface Grant {
  id: string
  released: number
  filled: number
  scope: string
  decidedAt: EpochMs
  /** The resume that the page showed or the candidate chose there; null: none. */
  resumeId: string | null
}

export interface GrantKey {
  candidateId: string
  clientId: string
  advertiserId: number | null
}

export interface NewCode {
  hash: string
  redirectUri: string
  scope: string
  challenge: string | null
  issuedAt: EpochMs
  expiresAt: EpochMs
}

/** The candidate who is signed in, and their current consent for this request. */
export interface Visitor {
  candidateId: string
  candidate: Candidate
  grant: Grant | undefined
}

export interface NamedAdvertiser {
  id: number
  name: string
  /**
   * Whether the advertiser authorises the client's agent or, for a client without one, the operator has allowed the
   * pair.
   */
  isActedFor: boolean
}

/** Everything needed to answer an authorization request, read at one moment. */
export interface AuthorizationContext {
  client: Omit<Client, 'secretHashes'> | undefined
  /** Undefined unless the advertiser is active. */
  advertiser: NamedAdvertiser | undefined
  /** The session may have expired. */
  visitor: (Visitor & { session: VisitorSession }) | undefined
}

export interface VisitorSession {
  /** When the candidate signed in. */
  createdAt: EpochMs
  lastUsedAt: EpochMs
  expiresAt: EpochMs
}

/** A code as the token endpoint checks it. */
export interface Code {
  clientId: string
  redirectUri: string
  scope: string
  challenge: string | null
  expiresAt: EpochMs
  failedAttempts: number
  redeemedAt: EpochMs | null
}

/** The values that a caller must present with a code to redeem it. */
export interface CodeHolder {
  clientId: string
  /** Hash of one of the client's secrets. */
  secretHash: string
  redirectUri: string
  /** Hash of the verifier; empty if there is none. */
  challenge: string
}

export interface NewToken {
  hash: string
  issuedAt: EpochMs
  expiresAt: EpochMs
}

export interface TokenRecord {
  clientId: string
  scope: string
  grantId: string | null
  candidateId: string | null
  released: number
  advertiserId: number | null
  expiresAt: EpochMs
  revokedAt: EpochMs | null
}

/** An agent's token for version 1, with the state it depends on. */
export interface AgentTokenRecord {
  clientId: string
  /** One or both of the scopes for an advertiser. */
  scope: string
  agentId: number
  advertiserId: number
  isOnHold: boolean
  isAuthorised: boolean
  /** When the agent got permission to report progress; null if it may only read. */
  progressGrantedAt: EpochMs | null
  /** Version of the advertiser's ledger. */
  version: number
  eventNumber: number
  expiresAt: EpochMs
  revokedAt: EpochMs | null
}

/** A consent in force, as its candidate sees it. */
export interface ActiveConsent {
  grantId: string
  clientName: string
  logoHash: string | null
  advertiserId: number | null
  advertiserName: string | null
  released: number
  filled: number
  decidedAt: EpochMs
}
