import type { EpochMs } from '../core/clock.ts'
import type { StoredBlob } from '../files/ports.ts'
import type { Role } from '../model/principal.ts'
import type { DemoJobAd, DemoScreen } from './world/board.ts'

export interface DemoAccounts {
  advertisers: {
    id: number
    name: string
    status: 'active' | 'hold'
    credential: { id: string; hash: string; hint: string; label: string }
  }[]
  agents: { id: number; name: string; authorisedBy: number[] }[]
  clients: {
    id: string
    name: string
    agentId: number | null
    scopes: string[]
    advertiserIds: number[]
    redirectUris: string[]
    secretHash: string
  }[]
  candidates: {
    id: string
    email: string
    emailConfirmedAt: EpochMs
    passwordHash: string
    firstName: string
    lastName: string
    /** JSON */
    profile: string
    resume: ({ id: string; fileName: string; contentType: string } & StoredBlob) | null
  }[]
  members: { advertiserId: number; candidateId: string; role: Role }[]
  screens: DemoScreen[]
  jobAds: DemoJobAd[]
  createdAt: EpochMs
}

/**
 * `unfinished`: somebody is loading it, or was interrupted. `outdated`: it is the world of an older version.
 * `other`: there is data, and it is not the demo's.
 */
export type DemoState = 'empty' | 'unfinished' | 'outdated' | 'loaded' | 'other'

export interface DemoStore {
  state(): Promise<DemoState>
  /**
   * Marks the database as the demo's before anything is in it. True for one caller at a time: for the first,
   * or for the first after a claim that is older than `abandonedAfterMs`, or on an outdated world.
   */
  claim(now: EpochMs, abandonedAfterMs: number): Promise<boolean>
  /** The same, whoever has it: for an operator who wants it anew. */
  seize(now: EpochMs): Promise<void>
  addAccounts(accounts: DemoAccounts): Promise<void>
  /** Where each client's candidates come back to. */
  listRedirectUris(): Promise<{ clientId: string; uri: string }[]>
  /** Adds one, unless it is there or the client is not. */
  addRedirectUri(clientId: string, uri: string): Promise<void>
  finish(): Promise<void>
  /** Empties every table but for the mark, and lets IDs begin anew; returns the blobs in use. */
  clear(): Promise<string[]>
  unmark(): Promise<void>
}

export interface MailInOutbox {
  recipient: string
  subject: string
  body: string
  sentAt: EpochMs
}

/** Mails of the demo, which sends none. */
export interface OutboxStore {
  add(mail: MailInOutbox & { id: string }): Promise<void>
  /** The newest first. */
  list(most: number): Promise<MailInOutbox[]>
}

/** A person of the demo world, with the published password. */
export interface DemoPerson {
  email: string
  name: string
  password: string
}

export interface DemoDoors {
  candidates: readonly DemoPerson[]
  members: readonly DemoPerson[]
  credential: { advertiserName: string; value: string }
  client: { id: string; secret: string }
}
