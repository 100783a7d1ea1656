import type { Bytes, Content } from '../core/bytes/packing.ts'
import type { EpochMs } from '../core/clock.ts'

/** A folder or a bucket that holds files by name: a repository of backups, or a service's files. */
export interface Place {
  /** Used in messages. */
  name: string
  /** All files whose name begins with `prefix`, which ends with a slash, in lists of any length. */
  list(prefix: string): AsyncIterable<{ name: string; size: number }[]>
  /**
   * Stores the whole content or nothing, replacing existing content; rejects with NotAsDescribed if it is not
   * `expected`.
   */
  write(name: string, content: Bytes, expected?: Content): Promise<Content>
  /**
   * Rejects before the first byte if there is no such file or its size differs; throws before its end if the hash
   * differs.
   */
  read(name: string, content: { size: number; sha256?: string }): Promise<Bytes>
  /** The content of a small file; undefined if there is none. */
  readText(name: string): Promise<string | undefined>
  /** Has no effect if there is no such file. */
  remove(name: string): Promise<void>
  /** Resolves when all writes would survive a power failure. */
  flush(): Promise<void>
  /** Removes leftovers of dead processes' writes. No other process may be writing. */
  tidy(): Promise<void>
  close(): void
}

/** Contents of a copy of the database. */
export interface SnapshotFacts {
  /** Names of the migrations applied to it. */
  schema: string[]
  /** Number of rows per table. */
  tables: Record<string, number>
  /** The last ID drawn, by kind. */
  ids: Record<string, number>
  /** The database's ID; null if it has none. */
  databaseId: string | null
  /** Damage to the file, its indexes or its foreign keys. */
  faults: string[]
}

export type OnProgress = (phase: Phase, done: number, total: number) => void

/** The unit is rows for `reading` and `loading`, files for `files`, and bytes otherwise. */
export type Phase =
  | 'copying'
  | 'reading'
  | 'packing'
  | 'files'
  | 'writing'
  | 'verifying'
  | 'unpacking'
  | 'loading'

/** Keys of a service that are kept outside its database, in the form of these settings. */
export type SetKeys = Partial<Record<'WEBHOOK_KEY' | 'SECRETS_KEY', string>>

/** Keys that were put in place: advice for the operator, and how to restore the former keys. */
export interface PutKeys {
  advice: string[]
  undo(): void
}

/** The last verified set, by the name of its place. */
export type LastBackups = Record<string, { set: string; at: EpochMs }>

/** The database into which a set is restored. */
export interface RestoreTarget {
  /** Throws BackupRefused if a process uses it, or if it has data that must not be replaced. Changes nothing. */
  prepare(isReplacing: boolean): Promise<void>
  /**
   * Replaces the database with the copy at `path`: whenever the process is killed, the database is either the old or
   * the new one. First migrates the copy to this version's schema and reconciles it.
   */
  adopt(path: string, onProgress: OnProgress): Promise<Adopted>
}

export interface Adopted {
  /** Location of the replaced database. */
  keptAs?: string
  /** Advice for the operator. */
  advice: string[]
}
