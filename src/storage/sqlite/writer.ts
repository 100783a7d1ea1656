import type { DatabaseSync } from 'node:sqlite'
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely'
import type { RunNow, Step } from '../database/tables.ts'
import { type Query, Statements } from './statements.ts'

interface WaitingStep {
  /** Whether a failure in its middle leaves something behind. */
  hasManyStatements: boolean
  /** Returns what to do when the changes are safe. */
  take(run: RunNow): () => void
  refuse(error: unknown): void
}

interface Waiting {
  resolve(): void
  reject(error: unknown): void
}

/**
 * A commit waits for the disk, and one wait does for everybody who is ready: transactions that come at the same
 * time are parts (savepoints) of one, and all are answered when that one is safe. Each is still all or nothing,
 * and none is answered before its bytes are on the disk.
 *
 * Transactions of Kysely take turns at the connection, which costs a dozen promises each. Steps are the short way:
 * they are queued, and run one after the other right before the commit.
 */
export class WriteDriver implements Driver {
  readonly #handle: DatabaseSync
  readonly #statements: Statements
  readonly #turns = new Turns()
  readonly #runNow: RunNow
  #steps: WaitingStep[] = []
  #waiting: Waiting[] = []
  #isCommitDue = false
  #changes = 0

  constructor(handle: DatabaseSync, busyWaitMs: number) {
    this.#handle = handle
    this.#statements = new Statements(handle, busyWaitMs)
    this.#runNow = query => this.#statements.runNow(query)
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this, await this.#turns.take())
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    connection.endTurn()
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    const isFirst = !this.#handle.isTransaction
    await this.#join()
    this.#commitSoon()
    // The first can be undone by undoing everything, and a savepoint costs a copy of each page that it changes.
    if (!isFirst) await this.#run(savepoint)
    connection.part = isFirst ? 'first' : 'further'
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    if (connection.part === 'further') await this.#run(release)
    connection.part = undefined
    await this.#whenSafe(connection)
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    // Not when it was the common commit that failed, and some errors (a full disk) have rolled back everything.
    const { part } = connection
    connection.part = undefined
    if (part === undefined || !this.#handle.isTransaction) return
    if (part === 'first') {
      await this.#run(rollback)
    } else {
      await this.#run(rollbackToSavepoint)
      await this.#run(release)
    }
  }

  /** Resolves with what the step returned, when what it wrote has been committed. */
  step<T>(body: Step<T>, hasManyStatements = true): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!this.#handle.isOpen) throw new Error('the database has been closed')
      const take = (run: RunNow) => {
        const result = body(run)
        return () => resolve(result)
      }
      this.#steps.push({ take, refuse: reject, hasManyStatements })
      this.#commitSoon()
    })
  }

  /** What is asked outside of a transaction is a step of its own, unless it only reads. */
  execute<R>(query: CompiledQuery): Promise<QueryResult<R>> | undefined {
    return isRead(query) ? undefined : this.step(run => run<R>(query), false)
  }

  /** In a transaction of Kysely, or a read beside one. */
  async query<R>(query: Query): Promise<QueryResult<R>> {
    try {
      return await this.#statements.run<R>(query)
    } catch (error) {
      if (!this.#handle.isTransaction) this.#settle(error)
      throw error
    }
  }

  #run(query: Query): Promise<QueryResult<unknown>> {
    return this.query(query)
  }

  async #join(): Promise<void> {
    // Immediate: the write lock is taken now or not at all, never in the middle, where giving up would be the only way.
    if (!this.#handle.isTransaction) await this.#run(begin)
  }

  /** Lets the next one in, and resolves when what was done so far has been committed. */
  #whenSafe(connection: SqliteConnection): Promise<void> {
    const safe = Promise.withResolvers<void>()
    this.#waiting.push(safe)
    this.#commitSoon()
    connection.endTurn()
    return safe.promise
  }

  /** After what has arrived by now: whoever is in the queue before the commit is a part of it. */
  #commitSoon(): void {
    if (this.#isCommitDue) return
    this.#isCommitDue = true
    setImmediate(async () => {
      const endTurn = await this.#turns.take()
      this.#isCommitDue = false
      if (this.#handle.isOpen) await this.#finish()
      endTurn()
    })
  }

  async #finish(): Promise<void> {
    await this.#takeSteps()
    if (!this.#handle.isTransaction) return
    try {
      this.#raiseVersion()
      await this.#run(commit)
      this.#settle()
    } catch (error) {
      if (this.#handle.isTransaction) this.#handle.exec('rollback')
      this.#settle(error)
    }
  }

  /** With each commit that changes something: what tells one state of the file from another, see sqlite-log.ts. */
  #raiseVersion(): void {
    for (const { changes, version } of this.#runNow(commitState).rows) {
      if (changes === this.#changes) return
      this.#changes = changes
      // It has 32 bits, and begins again from below.
      this.#statements.execute(`pragma user_version = ${(version + 1) | 0}`)
    }
  }

  async #takeSteps(): Promise<void> {
    const steps = this.#steps
    this.#steps = []
    for (const [index, step] of steps.entries()) {
      const isFirst = !this.#handle.isTransaction
      try {
        await this.#join()
      } catch (error) {
        // Somebody else keeps the file: the others would wait for it as long, one after the other.
        for (const { refuse } of steps.slice(index)) refuse(error)
        return
      }
      this.#take(step, isFirst)
    }
  }

  #take({ take, refuse, hasManyStatements }: WaitingStep, isFirst: boolean): void {
    // A single statement that fails has undone itself.
    const hasSavepoint = !isFirst && hasManyStatements
    try {
      if (hasSavepoint) this.#runNow(savepoint)
      const resolve = take(this.#runNow)
      if (hasSavepoint) this.#runNow(release)
      this.#waiting.push({ resolve, reject: refuse })
    } catch (error) {
      refuse(error)
      if (!this.#handle.isTransaction) this.#settle(error)
      else if (isFirst) this.#runNow(rollback)
      else if (hasSavepoint) {
        this.#runNow(rollbackToSavepoint)
        this.#runNow(release)
      }
    }
  }

  #settle(error?: unknown): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const { resolve, reject } of waiting) {
      if (error === undefined) resolve()
      else reject(error)
    }
  }

  /** The log has pages as they were before. Whoever reads just now keeps it; the next time will do. */
  async forget(): Promise<void> {
    const endTurn = await this.#turns.take()
    try {
      await this.#finish()
      await this.#run(CompiledQuery.raw('pragma wal_checkpoint(truncate)'))
    } finally {
      endTurn()
    }
  }

  async destroy(): Promise<void> {
    const endTurn = await this.#turns.take()
    if (!this.#handle.isOpen) return endTurn()
    await this.#finish()
    this.#handle.close()
    endTurn()
  }
}

function isRead({ sql }: Query): boolean {
  return /^(select|pragma|explain)\b/i.test(sql)
}

const begin = CompiledQuery.raw('begin immediate')
const commitState = CompiledQuery.raw(
  'select total_changes() as changes, user_version as version from pragma_user_version',
) as CompiledQuery<{ changes: number; version: number }>
const commit = CompiledQuery.raw('commit')
const rollback = CompiledQuery.raw('rollback')
const savepoint = CompiledQuery.raw('savepoint part')
const release = CompiledQuery.raw('release part')
const rollbackToSavepoint = CompiledQuery.raw('rollback to part')

/** One user at a time, in the order in which they came. */
class Turns {
  #last: Promise<void> = Promise.resolve()

  /** Resolves with what ends the turn. */
  async take(): Promise<() => void> {
    const previous = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    await previous
    return resolve
  }
}

/** One turn at the one connection there is. */
class SqliteConnection implements DatabaseConnection {
  readonly #driver: WriteDriver
  /** Between the begin and the end of a transaction: which of those that share a commit it is. */
  part: 'first' | 'further' | undefined
  readonly endTurn: () => void

  constructor(driver: WriteDriver, endTurn: () => void) {
    this.#driver = driver
    this.endTurn = endTurn
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // It would be a part of whatever transaction is open, and nobody would wait for its commit.
    if (this.part === undefined && !isRead(query))
      throw new Error('a connection writes in a transaction only')
    return this.#driver.query<R>(query)
  }

  streamQuery = refuseStream
}

// biome-ignore lint/correctness/useYield: streaming would hold the connection; lists are read in keyset pages.
export async function* refuseStream<R>(): AsyncIterableIterator<QueryResult<R>> {
  throw new Error('read in pages: an open stream would block every writer')
}
