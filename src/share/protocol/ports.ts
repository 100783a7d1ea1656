import type { EpochMs } from '../../core/clock.ts'
import type { Candidate } from '../../model/candidate.ts'

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
  /** Its privacy notice, for candidates. */
  privacyUrl: string | null
  redirectUris: string[]
  /** SHA-256 of each valid secret; two during a rotation. */
  secretHashes: string[]
}

/** Look-ups made on every request. */
export interface ClientDirectory {
  find(clientId: string): Promise<Client | undefined>
}

/** Used by the operator. */
export interface ClientStore extends ClientDirectory {
  /** False when the ID is taken. */
  add(
    client: Omit<Client, 'secretHashes' | 'disabledAt' | 'logoHash' | 'privacyUrl'> & Partial<Client>,
    secretHash: string,
    at: EpochMs,
    advertiserIds?: readonly number[],
  ): Promise<boolean>
  /** Of all, or of one agent. */
  list(
    agentId?: number,
  ): Promise<
    (Omit<Client, 'secretHashes'> & { createdAt: EpochMs; secrets: number; advertiserIds: number[] })[]
  >
  /** Idempotent; both must exist. */
  allow(clientId: string, advertiserId: number): Promise<void>
  /** False when the advertiser was not listed. */
  forbid(clientId: string, advertiserId: number): Promise<boolean>
  /** False when there is no such client. */
  setPrivacyUrl(clientId: string, privacyUrl: string | null): Promise<boolean>
  /** Replaces all of them; false when there is no such client. */
  setRedirectUris(clientId: string, uris: readonly string[]): Promise<boolean>
  /** Adds a secret and retires all others except the newest `keep`; false when there is no such client. */
  addSecret(clientId: string, secretHash: string, keep: number, at: EpochMs): Promise<boolean>
  /** Also revokes its codes and tokens in the same transaction; keeps the first time. False when there is no such client. */
  disable(clientId: string, at: EpochMs): Promise<boolean>
}

/** A consent that is in force. */
export interface Grant {
  id: string
  released: number
  filled: number
  scope: string
  decidedAt: EpochMs
  /** The resume that the candidate chose; null: the default. */
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

/** Everything needed to answer an authorization request, read at one moment. */
export interface AuthorizationContext {
  client: Omit<Client, 'secretHashes'> | undefined
  /** Undefined unless active. */
  advertiser: { id: number; name: string } | undefined
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

/** What a caller must present with a code to redeem it. */
export interface CodeHolder {
  clientId: string
  /** Hash of one of the client's secrets. */
  secretHash: string
  redirectUri: string
  /** Hash of the verifier; empty without one. */
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
  agentId: number
  advertiserId: number
  isOnHold: boolean
  isAuthorised: boolean
  /** Version of the advertiser's ledger. */
  version: number
  eventNumber: number
  expiresAt: EpochMs
  revokedAt: EpochMs | null
}

/** Each method is one statement or one transaction, so its guarantees hold under concurrency. */
export interface AuthorizationStore {
  findContext(
    sessionHash: string | null,
    clientId: string,
    advertiserId: number | null,
  ): Promise<AuthorizationContext>
  /**
   * Records the decision in place of the current one and issues a code for it. Categories that are no longer released
   * are removed from existing codes and tokens; if the resume is among them, its identifiers are deleted.
   */
  recordConsent(
    key: GrantKey,
    decision: Omit<Grant, 'id' | 'resumeId'> & { grantId: string; resumeId?: string | null },
    code: NewCode,
  ): Promise<void>
  /** Issues a code for a consent; false when it has been withdrawn. */
  issueCode(grantId: string, code: NewCode): Promise<boolean>
  findCode(hash: string): Promise<Code | undefined>
  /** A failed attempt neither burns the code nor revokes tokens; too many of them make the code unusable. */
  countFailedAttempt(hash: string): Promise<void>
  /**
   * Burns the code and issues its token in one atomic step. False unless the code belongs to this holder, is
   * unredeemed, has not expired and has few enough failed attempts, its consent is not withdrawn, its client is not
   * disabled, and the secret is one of the client's.
   */
  redeem(codeHash: string, holder: CodeHolder, token: NewToken, maxFailedAttempts: number): Promise<boolean>
  /** Revokes exactly the tokens issued for this code. */
  revokeTokensOfCode(codeHash: string, at: EpochMs): Promise<void>
  /** False when the client is disabled. */
  issueClientToken(
    clientId: string,
    token: NewToken,
    scope?: '' | 'w_applications' | 'm_webhooks',
  ): Promise<boolean>
  /** False unless the advertiser is active and authorises the agent, and the client is enabled. */
  issueAgentToken(clientId: string, agentId: number, advertiserId: number, token: NewToken): Promise<boolean>
  /** One indexed read. */
  findToken(hash: string): Promise<TokenRecord | undefined>
  findAgentToken(hash: string): Promise<AgentTokenRecord | undefined>
  revokeToken(clientId: string, hash: string, at: EpochMs): Promise<void>
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

export interface ConsentStore {
  listConsents(candidateId: string): Promise<ActiveConsent[]>
  /** Revokes its codes and tokens in the same transaction; false when the candidate has no such consent. */
  withdraw(candidateId: string, grantId: string, at: EpochMs): Promise<boolean>
  /** Takes categories back, from its codes and tokens as well; false when the candidate has no such consent. */
  narrow(candidateId: string, grantId: string, removed: number): Promise<boolean>
}
