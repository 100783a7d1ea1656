import type { CompiledQuery, Generated, Kysely, QueryResult, Transaction } from 'kysely'
import type { Actor } from '../core/async/audit-context.ts'
import type { ChangeNotifier } from './change-notifier.ts'

/**
 * The tables of both databases. Times are epoch milliseconds, booleans are 0 and 1, so that a query returns the same
 * from SQLite and PostgreSQL. Rooms that own further tables add them here: see board-tables.ts.
 */
export interface Schema extends AuditTables, WorkTables {
  meta: { key: string; value: string }
}

export type Dialect = 'sqlite' | 'postgres'

export interface Database {
  dialect: Dialect
  /** For writes, and for reads inside their transactions. */
  writer: Kysely<Schema>
  /** For reads outside transactions. */
  reader: Kysely<Schema>
  /** PostgreSQL only, where waiting for the row of a ledger occupies a connection. See withLedger. */
  inLedgerSlot?: LedgerSlots
  /** PostgreSQL only: there, the server that draws an ID may have lost IDs that another one assigned. */
  history?: ServerHistory
  /** Set by the assembly, which knows where the files are. */
  ids?: IdGate
  /** SQLite only: a transaction whose statements run synchronously, for frequent writes. */
  step?<T>(body: Step<T>): Promise<T>
  /** PostgreSQL only: reads rows as the bytes that the server sent. On SQLite, a page is already returned as bytes. */
  readRows?: ReadRows
  /** Runs migrations, without a timeout. */
  migrator: Kysely<Schema>
  /** For reads that may lag behind, within a stated bound. */
  replica?: Replica
  /** Detects changes made by other processes. */
  notifier?: ChangeNotifier
  /** Removes copies of deleted rows that the database keeps outside its tables, as far as possible. */
  forget(): Promise<void>
  pools?(): Record<string, { total: number; idle: number; waiting: number }>
  /**
   * SQLite only, where commits can be read before they are durable: resolves when everything committed so far is
   * durable. For data that leaves this process other than in a response, see
   * docs/decisions/105-flush-beside-the-event-loop.md.
   */
  whenDurable?(): Promise<void>
  /**
   * For a response that shows a version of some data and nothing else: `seen` is the version read earlier, `read` reads
   * it again.
   */
  whenVersionDurable?(name: string, seen: number, read: () => Promise<number>): Promise<void>
  /** SQLite only: resolves once the disk has failed to store written data. Nothing is written after that. */
  failed?: Promise<Error>
  /** SQLite only: path of its file. */
  path?: string
  /** SQLite only: describes damage to its file and how to fix it; undefined if it is sound. */
  examine?(isDeep: boolean): Promise<string | undefined>
  close(): Promise<void>
}

/** Runs a statement within a step. */
export type RunNow = <R>(query: CompiledQuery<R>) => QueryResult<R>

/** A synchronous transaction: it cannot await, because every other writer would wait too. */
export type Step<T> = (run: RunNow) => T

/** Passes the rows to `read` in sequence, in the format of the protocol. The memory is reused once `read` returns. */
export type ReadRows = <T>(query: CompiledQuery, read: (rows: Buffer) => T) => Promise<T>

export interface ServerHistory {
  /** The server whose IDs can be used, if any: an ID that another server then draws is discarded. */
  known(trx: Transaction<Schema>): Promise<string | undefined>
  /**
   * Raises the IDs if the server's history differs from the one in which they were last drawn. Like everywhere, it
   * takes its locks after the row of a ledger.
   */
  reconcile(trx: Transaction<Schema>): Promise<void>
}

/** Lets an ID pass only if no poller can have seen it with other content: see decision 075. */
export interface IdGate {
  /** Call before a transaction that may draw IDs. Returns immediately once this process is admitted. */
  admit(): Promise<void>
  /** Whether the ID is at most the ceiling recorded beside the files. */
  isCovered(name: string, id: number): boolean
  /**
   * Raises that ceiling if needed. Call in the transaction that has drawn the ID, after it has taken its other locks.
   */
  cover(trx: Transaction<Schema>, name: string, id: number): Promise<void>
  /** Raises the IDs to the ceiling, because they are now drawn by another server. */
  recheck(trx: Transaction<Schema>): Promise<void>
}

/**
 * Runs the write when a slot of this ledger is free. `busyText`: the detail of the problem if none becomes free in
 * time.
 */
export type LedgerSlots = <T>(ledger: number, write: () => Promise<T>, busyText: string) => Promise<T>

/** Outcomes of reads at the replica. Unless it answered, the primary serves the read. */
export interface ReplicaCounts {
  answered: number
  /** The replica lacked the version, or the row. */
  behind: number
  failed: number
  /** The replica was skipped: it had failed or was not checked yet. */
  away: number
}

export interface Replica {
  db: Kysely<Schema>
  readRows: ReadRows
  /** The result of the read; undefined if the primary must serve it. Never rejects. */
  ask<T>(read: () => Promise<T | undefined>): Promise<T | undefined>
  counts(): Readonly<ReplicaCounts>
  /** Rejects if it is not a replica of the primary, or is unavailable. */
  lag(): Promise<ReplicaLag>
  close(): Promise<void>
}

/** How far a replica lags behind its primary. */
export interface ReplicaLag {
  bytes: number
  /** An upper bound: the age of the replica's last transaction. Any missing data is newer, and may not exist. */
  seconds: number
}

/** The audit log: a part of the tables in tables.ts. See src/platform/audit/record-audit-store.ts. */
interface AuditTables {
  /** One chain per scope: the ID of an owner, or 0 for the service. IDs only, no names, addresses or secrets. */
  audit_entries: {
    scope: number
    number: number
    at: number
    actor_kind: Actor['kind']
    actor_id: string
    proof: string
    action: string
    target: string
    /** JSON with the fields that the action lists: see src/platform/audit/acts.ts. */
    before: string | null
    after: string | null
    request_id: string | null
    prev: string
    hash: string
    /** Not part of the hash, because it expires. */
    address: string | null
  }
  /** The last entry of each chain; its row is locked while an entry is appended. */
  audit_heads: {
    scope: number
    number: number
    at: number
    hash: string
    /** The month (YYYY-MM) of the last entry, the first number in it, and the previous hash. */
    month: string
    first_number: number
    first_prev: string
  }
  /** Sealed months. Their seals remain when their entries are dropped. */
  audit_seals: {
    scope: number
    month: string
    first_number: number
    last_number: number
    prev: string
    hash: string
    dropped_at: number | null
  }
}

/** Data that the processes of a service share: a part of the tables in tables.ts. */
interface WorkTables {
  /** Uploads that a row has released. */
  loose_blobs: { blob: string; since: number }
  sent_forms: { key: string; location: string; expires_at: number }
  /** The outbox: messages that must reach the outside world. */
  deliveries: {
    id: string
    kind: string
    /** JSON: IDs, no text and no secrets. */
    content: string
    state: 'waiting' | 'sent' | 'dead' | 'held'
    due_at: number
    give_up_at: number
    attempts: Generated<number>
    created_at: number
    ended_at: number | null
    fault: string | null
    /** The process that last claimed it. */
    holder: Generated<string | null>
  }
  /** Processes that may draw IDs, each with its last sign of life. An orderly stop removes the row. */
  nodes: { id: string; release: string; seen_at: number }
  /**
   * Tombstones of data that was erased, withdrawn or revoked, until they are recorded beside the files: see
   * record-tombstones.ts.
   */
  tombstones: {
    id: string
    /** JSON: IDs only. */
    content: string
  }
  leases: { name: string; holder: string; held_until: number }
  rate_counts: { name: string; key: string; time_window: number; hits: number; expires_at: number }
  /** One row: how long the service has run, and whether its clock is in doubt. See src/platform/core/steady-time-rules.ts. */
  service_clock: {
    id: number
    /** Changes with each write. */
    ticks: number
    running_ms: number
    seen_at: number
    doubted_from: number | null
    doubt_ms: number
    further_ms: number
  }
  /** Last run of each background task, by whichever process. */
  task_runs: {
    name: string
    started_at: number
    ended_at: number
    outcome: 'done' | 'failed'
    /** JSON: work done and work left. */
    detail: string
    /** Last failure, which remains after later runs. */
    failed_at: number | null
    fault: string | null
    every_seconds: number
  }
}
