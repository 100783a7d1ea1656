import type { EpochMs } from '../../core/clock.ts'
import type { Candidate } from '../../model/candidate.ts'

/** A registered third-party application, as the protocol needs it. */
export interface Client {
  id: string
  name: string
  agentId: number | null
  /** What it may ask for. */
  scopes: string[]
  requirePkce: boolean
  disabledAt: EpochMs | null
  redirectUris: string[]
  /** SHA-256 of each secret that is valid; two while one is being replaced. */
  secretHashes: string[]
}

/** Look-ups on the path of every request. */
export interface ClientDirectory {
  find(clientId: string): Promise<Client | undefined>
}

/** For the operator. */
export interface ClientStore extends ClientDirectory {
  /** False when the ID is taken. */
  add(
    client: Omit<Client, 'secretHashes' | 'disabledAt'>,
    secretHash: string,
    at: EpochMs,
    advertiserIds?: readonly number[],
  ): Promise<boolean>
  list(): Promise<
    (Omit<Client, 'secretHashes'> & { createdAt: EpochMs; secrets: number; advertiserIds: number[] })[]
  >
  /** Repeating it is harmless; both must exist. */
  allow(clientId: string, advertiserId: number): Promise<void>
  /** False when the advertiser was not listed. */
  forbid(clientId: string, advertiserId: number): Promise<boolean>
  /** Adds a secret and retires the others but for the newest `keep`; false when there is no such client. */
  addSecret(clientId: string, secretHash: string, keep: number, at: EpochMs): Promise<boolean>
  /** Also ends its codes and tokens, in one step; the first time stays. False when there is no such client. */
  disable(clientId: string, at: EpochMs): Promise<boolean>
}

/** What a consent stands on. */
export interface Grant {
  id: string
  released: number
  filled: number
  scope: string
  decidedAt: EpochMs
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

/** Whoever is signed in, and the consent of theirs that stands for what is asked. */
export interface Visitor {
  candidateId: string
  candidate: Candidate
  grant: Grant | undefined
}

/** All that an authorization request is answered from, as it is at one moment. */
export interface Standing {
  client: Omit<Client, 'secretHashes'> | undefined
  /** When it is active. */
  advertiser: { id: number; name: string } | undefined
  /** Of the session, which may be over. */
  visitor: (Visitor & { session: VisitorSession }) | undefined
}

export interface VisitorSession {
  /** When the password was proved. */
  createdAt: EpochMs
  lastUsedAt: EpochMs
  expiresAt: EpochMs
}

/** A code as the token endpoint judges it. */
export interface Code {
  clientId: string
  redirectUri: string
  scope: string
  challenge: string | null
  expiresAt: EpochMs
  failedAttempts: number
  redeemedAt: EpochMs | null
}

/** What whoever redeems a code must know beside it. */
export interface CodeHolder {
  clientId: string
  /** Of a secret that the client has. */
  secretHash: string
  redirectUri: string
  /** What the verifier hashes to; empty without one. */
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

/** An agent's token on version 1, with what it hangs on. */
export interface AgentTokenRecord {
  clientId: string
  agentId: number
  advertiserId: number
  isOnHold: boolean
  isAuthorised: boolean
  /** Of the advertiser's ledger. */
  version: number
  expiresAt: EpochMs
  revokedAt: EpochMs | null
}

/** Each method is one statement or one transaction: what it promises holds whatever runs beside it. */
export interface AuthorizationStore {
  findStanding(sessionHash: string | null, clientId: string, advertiserId: number | null): Promise<Standing>
  /**
   * Records the decision, in place of the one that stands, and issues a code for it. What is no longer
   * released is taken from the codes and tokens that exist, too, and without the resume its identifiers end.
   */
  recordConsent(
    key: GrantKey,
    decision: { grantId: string; scope: string; released: number; filled: number; decidedAt: EpochMs },
    code: NewCode,
  ): Promise<void>
  /** A code for a consent that stands; false when it has been withdrawn meanwhile. */
  issueCode(grantId: string, code: NewCode): Promise<boolean>
  findCode(hash: string): Promise<Code | undefined>
  /** A failed attempt neither burns the code nor revokes anything, until there are too many. */
  countFailedAttempt(hash: string): Promise<void>
  /**
   * Burns the code and issues its token in one atomic step, while the code is this holder's, unredeemed, alive
   * and not given up, its consent and its client stand, and the secret is one of the client's. False when one of
   * these is not so.
   */
  redeem(codeHash: string, holder: CodeHolder, token: NewToken, maxFailedAttempts: number): Promise<boolean>
  /** Revokes exactly what this code has bought. */
  revokeTokensOfCode(codeHash: string, at: EpochMs): Promise<void>
  /** Only while the client stands. */
  issueClientToken(clientId: string, token: NewToken, scope?: '' | 'w_applications'): Promise<boolean>
  /** Only while the advertiser is active and authorises the agent, and the client stands. */
  issueAgentToken(clientId: string, agentId: number, advertiserId: number, token: NewToken): Promise<boolean>
  /** One indexed read. */
  findToken(hash: string): Promise<TokenRecord | undefined>
  findAgentToken(hash: string): Promise<AgentTokenRecord | undefined>
  revokeToken(clientId: string, hash: string, at: EpochMs): Promise<void>
}

/** A consent as its candidate sees it. */
export interface StandingConsent {
  grantId: string
  clientName: string
  advertiserName: string | null
  released: number
  filled: number
  decidedAt: EpochMs
}

export interface ConsentStore {
  listConsents(candidateId: string): Promise<StandingConsent[]>
  /** Ends its codes and tokens in the same step; false when the candidate has no such consent. */
  withdraw(candidateId: string, grantId: string, at: EpochMs): Promise<boolean>
}
