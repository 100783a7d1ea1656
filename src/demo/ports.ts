import type { EpochMs } from '../core/clock.ts'
import type { OperatorRole } from '../model/principal.ts'
import type { NewAccount } from '../people/account/ports.ts'
import type { DemoJobAd, DemoQuestionnaire } from './world/board.ts'
import type { DemoMember } from './world/world.ts'

/** The part of the world that no other store adds: confirmed accounts, members without an invitation, fixed IDs. */
export interface DemoBoard {
  candidates: (NewAccount & { emailConfirmedAt: EpochMs })[]
  members: DemoMember[]
  agents: { id: number; people: string[] }[]
  operators: { candidateId: string; role: OperatorRole }[]
  advertisers: { id: number; name: string }[]
  screens: DemoQuestionnaire[]
  jobAds: DemoJobAd[]
  createdAt: EpochMs
}

/**
 * `unfinished`: a process is loading the world, or was interrupted. `outdated`: the world of an older version.
 * `other`: the database holds data that is not the demo's.
 */
export type DemoState = 'empty' | 'unfinished' | 'outdated' | 'loaded' | 'other'

export interface DemoStore {
  state(): Promise<DemoState>
  /**
   * Marks the database as the demo's before loading. True for one caller at a time: the first one, or the first
   * after a claim older than `abandonedAfterMs` or on an outdated world.
   */
  claim(now: EpochMs, abandonedAfterMs: number): Promise<boolean>
  /** Claims the database even if another process holds it: for an operator who resets the demo. */
  seize(now: EpochMs): Promise<void>
  /** Requires its advertisers. */
  addBoard(board: DemoBoard): Promise<void>
  /** Redirect URIs of all clients. */
  listRedirectUris(): Promise<{ clientId: string; uri: string }[]>
  /** Adds a redirect URI; does nothing if it exists or the client does not. */
  addRedirectUri(clientId: string, uri: string): Promise<void>
  /**
   * Reads the webhook endpoints at which a running demo receives. Returns how to put them back into a new world: with
   * their IDs, from which their keys are derived, and from its next event on.
   */
  keepHooks(): Promise<(now: EpochMs) => Promise<void>>
  finish(): Promise<void>
  /** Empties every table except the mark and restarts the IDs; returns the blobs that were in use. */
  clear(): Promise<string[]>
  unmark(): Promise<void>
}

export interface MailInOutbox {
  id: string
  recipient: string
  subject: string
  /** The text form. */
  body: string
  sentAt: EpochMs
}

/** Emails of the demo, which sends none. */
export interface OutboxStore {
  add(mail: MailInOutbox & { html: string }): Promise<void>
  /** Newest first. */
  list(most: number): Promise<MailInOutbox[]>
  findHtml(id: string): Promise<string | undefined>
}

/** A person of the demo world with their published password. */
export interface DemoPerson {
  email: string
  name: string
  password: string
}

export interface DemoDoors {
  candidates: readonly DemoPerson[]
  members: readonly DemoPerson[]
  operators: readonly DemoPerson[]
  credential: { advertiserName: string; value: string }
  client: { id: string; secret: string }
}
