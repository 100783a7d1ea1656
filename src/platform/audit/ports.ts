import type { EpochMs } from '../core/clock.ts'
import type { ChainedEntry } from './chain.ts'

export interface AuditEntry extends ChainedEntry {
  hash: string
  /** Network address; null once it has expired, or if there was none. */
  address: string | null
}

export interface AuditFilter {
  /** From this time on, and before the other. */
  from?: EpochMs | undefined
  to?: EpochMs | undefined
  /** A kind of actor, or its ID. */
  actor?: string | undefined
  /** An action or its first word. */
  action?: string | undefined
}

/** The position at which a page of the list ends. */
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

/** The heads as recorded outside the database. */
export interface NotedHeads {
  at: EpochMs
  heads: ChainHead[]
}

export interface HeadNotes {
  read(databaseId: string): Promise<NotedHeads | undefined>
  write(databaseId: string, noted: NotedHeads): Promise<void>
  remove(databaseId: string): Promise<void>
}
