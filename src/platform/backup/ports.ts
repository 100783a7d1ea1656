import type { Bytes, Content } from '../core/bytes/packing.ts'
import type { EpochMs } from '../core/clock.ts'

/** A folder or a bucket that holds files by name: a repository of backups, or the files of a service. */
export interface Place {
  /** For messages. */
  name: string
  /** Every file whose name begins with `prefix`, which ends with a slash, in lists of any length. */
  list(prefix: string): AsyncIterable<{ name: string; size: number }[]>
  /** Stores the whole content or nothing, replacing what is there; rejects with NotAsDescribed if it is not `expected`. */
  write(name: string, content: Bytes, expected?: Content): Promise<Content>
  /** Rejects before the first byte if there is no such file or its size differs; throws before its end if the hash does. */
  read(name: string, content: { size: number; sha256?: string }): Promise<Bytes>
  /** The content of a small file; undefined if there is none. */
  readText(name: string): Promise<string | undefined>
  /** Harmless if there is no such file. */
  remove(name: string): Promise<void>
  /** Resolves when everything written survives a power failure. */
  flush(): Promise<void>
  /** Removes what writes of dead processes have left. No other process may be writing. */
  tidy(): Promise<void>
  close(): void
}

/** What a copy of the database contains. */
export interface SnapshotFacts {
  /** Names of its migrations. */
  schema: string[]
  /** Rows of each table. */
  tables: Record<string, number>
  /** The last ID drawn, by kind. */
  ids: Record<string, number>
  /** The database's ID; null if it has none. */
  databaseId: string | null
  /** Damage to the file, its indexes or its foreign keys. */
  faults: string[]
}

export type OnProgress = (phase: Phase, done: number, total: number) => void

/** `reading` and `loading` count rows, `files` files, and the others bytes. */
export type Phase =
  | 'copying'
  | 'reading'
  | 'packing'
  | 'files'
  | 'writing'
  | 'verifying'
  | 'unpacking'
  | 'loading'

/** Keys of a service that are not in its database, in the form of these settings. */
export type SetKeys = Partial<Record<'WEBHOOK_KEY' | 'SECRETS_KEY', string>>

/** Keys that were put in their place: what to tell the operator, and how to put back the former ones. */
export interface PutKeys {
  advice: string[]
  undo(): void
}

/** The last set that was made and verified, by the name of its place. */
export type LastBackups = Record<string, { set: string; at: EpochMs }>

/** The database that a set is restored into. */
export interface RestoreTarget {
  /** Throws BackupRefused if a process uses it, or if it has data that is not to be replaced. Changes nothing. */
  prepare(isReplacing: boolean): Promise<void>
  /**
   * Puts the copy at `path` in the place of the database: whenever the process is killed, the database is either the old
   * or the new one. Brings the copy to the schema of this version and reconciles it first.
   */
  adopt(path: string, onProgress: OnProgress): Promise<Adopted>
}

export interface Adopted {
  /** Where the replaced database is. */
  keptAs?: string
  /** What the operator should look at. */
  advice: string[]
}
