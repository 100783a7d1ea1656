import type { EpochMs } from '../core/clock.ts'
import type { AdvertiserStatus } from './rules.ts'

export interface Advertiser {
  id: number
  name: string
  status: AdvertiserStatus
  /** Of the days and times in its console; null for that of the operator. */
  timeZone: string | null
  createdAt: EpochMs
}

/** For the operator. */
export interface AdvertiserStore {
  /** Takes the next free ID when none is given; undefined when the given one is taken. */
  add(advertiser: {
    id?: number
    name: string
    timeZone?: string | null
    createdAt: EpochMs
  }): Promise<Advertiser | undefined>
  list(): Promise<Advertiser[]>
  find(advertiserId: number): Promise<Advertiser | undefined>
  setStatus(advertiserId: number, status: AdvertiserStatus): Promise<Advertiser | undefined>
  setTimeZone(advertiserId: number, timeZone: string | null): Promise<Advertiser | undefined>
}

/** What may be told about a credential after it was issued. */
export interface Credential {
  id: string
  hint: string
  label: string
  createdAt: EpochMs
  expiresAt: EpochMs | null
  revokedAt: EpochMs | null
  lastUsedAt: EpochMs | null
}

export interface NewCredential {
  id: string
  hash: string
  hint: string
  label: string
  createdAt: EpochMs
  expiresAt: EpochMs | null
}

/** A credential with its owner, as a request needs it: one indexed read. */
export interface CredentialOwner {
  credentialId: string
  advertiserId: number
  advertiserStatus: AdvertiserStatus
  expiresAt: EpochMs | null
  revokedAt: EpochMs | null
  lastUsedAt: EpochMs | null
  /** Of the advertiser's ledger. */
  version: number
}

export interface CredentialStore {
  /** The one question without an advertiser: the credential is what says who asks. */
  findOwner(hash: string): Promise<CredentialOwner | undefined>
  /** For the operator, who revokes by the credential's id. */
  advertiserOf(credentialId: string): Promise<number | undefined>
  add(advertiserId: number, credential: NewCredential): Promise<void>
  list(advertiserId: number): Promise<Credential[]>
  /** The first revocation stays; undefined when the advertiser has no such credential. */
  revoke(advertiserId: number, credentialId: string, at: EpochMs): Promise<Credential | undefined>
  /** Changes nothing when a use after `since` is on record already. */
  recordUse(advertiserId: number, credentialId: string, at: EpochMs, since: EpochMs): Promise<void>
}

export interface Agent {
  id: number
  name: string
  createdAt: EpochMs
}

export interface AgentOfAdvertiser {
  id: number
  name: string
  authorisedAt: EpochMs | null
}

export interface AgentStore {
  /** Takes the next free ID when none is given; undefined when the given one is taken. */
  add(agent: { id?: number; name: string; createdAt: EpochMs }): Promise<Agent | undefined>
  /** With the advertisers that let it act for them, in ascending order. */
  list(): Promise<(Agent & { advertiserIds: number[] })[]>
  find(agentId: number): Promise<Agent | undefined>
  /** Every agent by its name, and since when it may act for this advertiser; null when it may not. */
  listFor(advertiserId: number): Promise<AgentOfAdvertiser[]>
  /**
   * Changes nothing where there is an authorisation. A new one gets a later time than any before it, whatever
   * the clock says: tokens remember by it which one they hang on, and a new one must not wake an old token.
   */
  authorise(advertiserId: number, agentId: number, at: EpochMs): Promise<void>
  /** False when there was none. */
  withdraw(advertiserId: number, agentId: number): Promise<boolean>
}
