import type { EpochMs } from '../core/clock.ts'
import type { Act } from '../model/audit.ts'
import type { ChainedEntry } from './chain.ts'

export interface AuditEntry extends ChainedEntry {
  hash: string
  /** Of the network; null once it has expired, or if there was none. */
  address: string | null
}

export interface AuditFilter {
  /** From this time on, and before that one. */
  from?: EpochMs | undefined
  to?: EpochMs | undefined
  /** A kind of actor, or its ID. */
  actor?: string | undefined
  /** An action, or its first word. */
  action?: string | undefined
}

/** Where a page of the list ends. */
export type AuditPosition = Pick<AuditEntry, 'at' | 'scope' | 'number'>

export interface ChainHead {
  scope: number
  number: number
  hash: string
}

export interface Seal {
  month: string
  firstNumber: number
  lastNumber: number
  prev: string
  hash: string
  isDropped: boolean
}

export interface AuditStore {
  /** Newest first; of one chain, or of all (undefined). */
  list(
    scope: number | undefined,
    filter: AuditFilter,
    before: AuditPosition | undefined,
    limit: number,
  ): Promise<AuditEntry[]>
  /** Of one chain, oldest first, after this number. */
  read(scope: number, filter: AuditFilter, after: number, limit: number): Promise<AuditEntry[]>
  /** In the order of their scopes. */
  heads(scope?: number): Promise<ChainHead[]>
  /** Oldest first. */
  seals(scope: number): Promise<Seal[]>
  /** For acts that change nothing else, such as an export. */
  record(act: Act): Promise<void>
  /** Names of accounts, by their IDs, for those that still exist. */
  namesOf(candidateIds: readonly string[]): Promise<Map<string, string>>
  /** When the database was last set back. */
  restoredAt(): Promise<EpochMs | undefined>
  databaseId(): Promise<string | undefined>
  /** Notes who had at least so many failed sign-ins since the last call; returns how many. */
  noteFailedSignIns(least: number, now: EpochMs): Promise<number>
  expireAddresses(before: EpochMs, most: number): Promise<number>
  /** Seals and marks what is before this month (YYYY-MM), on record in the chain of the board; returns how many months. */
  dropMonths(before: string, now: EpochMs): Promise<number>
  /** Removes entries of months that were marked after that time. */
  removeDropped(since: EpochMs, most: number): Promise<number>
}

/** The heads as they were noted, outside the database. */
export interface NotedHeads {
  at: EpochMs
  heads: ChainHead[]
}

export interface HeadNotes {
  read(databaseId: string): Promise<NotedHeads | undefined>
  write(databaseId: string, noted: NotedHeads): Promise<void>
  remove(databaseId: string): Promise<void>
}
