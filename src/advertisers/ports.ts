import type { EpochMs } from '../core/clock.ts'
import type { AdvertiserStatus } from './rules.ts'

export interface Advertiser {
  id: number
  name: string
  status: AdvertiserStatus
  /** For days and times in its console; null for the operator's time zone. */
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
  /** Whether its people need a second factor. Credentials are not affected. */
  setRequiresFactor(advertiserId: number, isRequired: boolean): Promise<Advertiser | undefined>
}

/** What may be shown of a credential after it was issued. */
export interface Credential {
  id: string
  hint: string
  label: string
  createdAt: EpochMs
  expiresAt: EpochMs | null
  revokedAt: EpochMs | null
  lastUsedAt: EpochMs | null
}

export type NewCredential = Omit<Credential, 'revokedAt' | 'lastUsedAt'> & { hash: string }

/** A credential with its owner, as authentication needs it: one indexed read. */
export interface CredentialOwner extends Pick<Credential, 'expiresAt' | 'revokedAt' | 'lastUsedAt'> {
  credentialId: string
  advertiserId: number
  advertiserStatus: AdvertiserStatus
  /** The version of the advertiser's ledger. */
  version: number
  /** Of its last event. */
  eventNumber: number
}

export interface CredentialStore {
  /** The only query without an advertiser, because the credential identifies the advertiser. */
  findOwner(hash: string): Promise<CredentialOwner | undefined>
  /** For the operator, who revokes by credential ID. */
  advertiserOf(credentialId: string): Promise<number | undefined>
  add(advertiserId: number, credential: NewCredential): Promise<void>
  list(advertiserId: number): Promise<Credential[]>
  /** Keeps the time of the first revocation; undefined if the advertiser has no such credential. */
  revoke(advertiserId: number, credentialId: string, at: EpochMs): Promise<Credential | undefined>
  /** Changes nothing if a use after `since` is already recorded. */
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

/** An advertiser that has authorised an agent. */
export interface CompanyOfAgent {
  advertiserId: number
  name: string
  status: AdvertiserStatus
  authorisedAt: EpochMs
}

export interface AgentStore {
  /** Takes the next free ID when none is given; undefined when the given one is taken. */
  add(agent: { id?: number; name: string; createdAt: EpochMs }): Promise<Agent | undefined>
  /** Each agent with the advertisers that have authorised it, in ascending order. */
  list(): Promise<(Agent & { advertiserIds: number[] })[]>
  find(agentId: number): Promise<Agent | undefined>
  /** Every agent by name, with the time since when it may act for this advertiser, or null if it may not. */
  listFor(advertiserId: number): Promise<AgentOfAdvertiser[]>
  /** The advertisers that have authorised the agent, by name. */
  companiesOf(agentId: number): Promise<CompanyOfAgent[]>
  /**
   * Changes nothing if there is an authorisation. A new one gets a later time than any before it, whatever the clock
   * says: tokens refer to their authorisation by its time, so a new one must not make an old token valid again.
   */
  authorise(advertiserId: number, agentId: number, at: EpochMs): Promise<void>
  /** False if there was none. */
  withdraw(advertiserId: number, agentId: number, at: EpochMs): Promise<boolean>
}
