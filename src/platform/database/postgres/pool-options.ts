/**
 * Limit: How long a write on PostgreSQL waits for a locked row before it gets 503. Our transactions hold locks for
 * milliseconds; a waiting write occupies a connection.
 */
const lockWaitMs = 3_000
/**
 * Limit: When PostgreSQL ends an idle transaction. Ours never pause between statements, so the node has vanished or
 * hangs, and others wait for its locks.
 */
const transactionIdleMs = 5_000
/** Limit: How long a request waits for a PostgreSQL connection before it gets 503. */
export const connectMs = 5_000
/**
 * Limit: How long to wait for PostgreSQL's response beyond the statement timeout: a server that is silent by then is
 * gone.
 */
const answerMarginMs = 5_000
/**
 * Limit: How long a PostgreSQL connection is used, so that no connection remains to a server that the address no longer
 * names.
 */
const connectionSeconds = 600
/** Limit: How long a stopping process waits for queries that PostgreSQL does not answer. */
export const databaseCloseMs = 2_000

export const postgresWaits = {
  connectMs,
  lockWaitMs,
  transactionIdleMs,
  answerMarginMs,
  connectionSeconds,
  closeMs: databaseCloseMs,
}

export interface PostgresOptions {
  url: string
  /** Connections of one process to the primary: half of them for writes, half for reads. */
  poolSize: number
  connectMs: number
  /** The server cancels a statement after this time. */
  statementTimeoutMs: number
  /** The server cancels a write that waits this long for a row or table locked by another transaction. */
  lockWaitMs: number
  /** The server ends a transaction that sends nothing for this time. */
  transactionIdleMs: number
  /** Time for the round trip, on top of `statementTimeoutMs`, before a connection is abandoned. */
  answerMarginMs: number
  /** How long a connection is used before it is replaced, so that a changed address takes effect. */
  connectionSeconds: number
  /** How long `close` waits for queries in progress. */
  closeMs: number
  /** False behind a pooler that gives each transaction another session, so sessions keep no state. */
  isPrepared: boolean
  onBrokenConnection(error: Error): void
  /**
   * Called once per change: with the error when no new connection can be made, and with undefined when one can be made
   * again.
   */
  onReach(pool: PoolOptions['of'], reason: unknown): void
}

export interface PoolOptions extends PostgresOptions {
  /**
   * `writer` and `reader` need the primary, and the reader cannot write. `replica` reads from any server. `migrator`
   * has no timeouts.
   */
  of: 'writer' | 'reader' | 'replica' | 'migrator'
}
