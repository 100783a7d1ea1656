export interface PostgresOptions {
  url: string
  /** Connections of one process to the primary: half of them for writes, half for reads. */
  poolSize: number
  connectMs: number
  /** The server cancels a statement after this time, */
  statementTimeoutMs: number
  /** a write that waits for a row or table locked by another transaction after this time, */
  lockWaitMs: number
  /** and a transaction that sends nothing after this time. */
  transactionIdleMs: number
  /** Time for the round trip, on top of `statementTimeoutMs`, before a connection is given up. */
  answerMarginMs: number
  /** How long a connection is used before it is replaced, so that an address that moved is followed. */
  connectionSeconds: number
  retryAfterSeconds: number
  /** How long `close` waits for queries in progress. */
  closeMs: number
  /** False behind a pooler that gives each transaction another session, so that sessions keep no state. */
  isPrepared: boolean
  onBrokenConnection(error: Error): void
  /** Called once per change: with the error when no new connection can be made, with undefined when one can again. */
  onReach(pool: PoolOptions['of'], reason: unknown): void
}

export interface PoolOptions extends PostgresOptions {
  /**
   * `writer` and `reader` need the primary, and the reader cannot write. `replica` reads from any server. `migrator`
   * has no timeouts.
   */
  of: 'writer' | 'reader' | 'replica' | 'migrator'
}
