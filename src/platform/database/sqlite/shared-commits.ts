import type { DatabaseSync } from 'node:sqlite'
import { CompiledQuery, type QueryResult } from 'kysely'
import type { RunNow, Step } from '../tables.ts'
import type { Checkpoints } from './checkpoints.ts'
import type { Flush } from './flush.ts'
import { type Query, Statements } from './statements.ts'

interface QueuedStep {
  /** Whether a failure part-way leaves changes to undo; a single statement undoes itself. */
  hasManyStatements: boolean
  /** Returns a function to call once the changes are committed. */
  take(run: RunNow): () => void
  reject(error: unknown): void
}

export interface WriterOptions {
  busyWaitMs: number
  flush: Flush
  /** If undefined, SQLite makes checkpoints in commits. */
  checkpoints: Checkpoints | undefined
  /** Closes the other handles of the file. */
  closeOthers(): Promise<void>
}

interface Waiting {
  resolve(): void
  reject(error: unknown): void
}

/**
 * Lets concurrent writes share a commit: concurrent transactions are savepoints of one transaction, and each resolves
 * when that one is committed and a flush has made it durable. Each is still atomic, and none resolves before its bytes
 * are on the disk.
 *
 * Transactions of Kysely take turns, which costs a dozen promises each. Steps are the fast path: they are queued and
 * run one after the other right before the commit.
 */
export class SharedCommits {
  readonly #handle: DatabaseSync
  readonly #statements: Statements
  readonly #flush: Flush
  readonly #checkpoints: Checkpoints | undefined
  readonly #closeOthers: () => Promise<void>
  readonly #runNow: RunNow
  /** Resolves when the last turn ends. */
  #lastTurn: Promise<void> = Promise.resolve()
  #steps: QueuedStep[] = []
  #waiting: Waiting[] = []
  #isCommitDue = false
  #changes = 0

  constructor(handle: DatabaseSync, { busyWaitMs, flush, checkpoints, closeOthers }: WriterOptions) {
    this.#handle = handle
    this.#flush = flush
    this.#checkpoints = checkpoints
    this.#closeOthers = closeOthers
    this.#statements = new Statements(handle, busyWaitMs)
    this.#runNow = query => this.#statements.runNow(query)
  }

  get isInTransaction(): boolean {
    return this.#handle.isTransaction
  }

  /** Waits in line for the connection; returns a function that ends the turn. */
  async takeTurn(): Promise<() => void> {
    const previous = this.#lastTurn
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#lastTurn = promise
    await previous
    return resolve
  }

  /** Begins the shared transaction unless it is open. */
  async begin(): Promise<void> {
    await this.#join()
    this.#commitSoon()
  }

  async #join(): Promise<void> {
    // Immediate: takes the write lock now or not at all. Later, giving up would be the only choice.
    while (!this.isInTransaction) {
      if (this.#flush.hasFailed) await this.#flush.whenDurable()
      await this.query(begin)
      if (this.#checkpoints?.mustWait() !== true) return
      await this.query(rollback)
      await this.#checkpoints.restart()
    }
  }

  /** Resolves when the changes so far are durable. */
  whenCommitted(): Promise<void> {
    const committed = Promise.withResolvers<void>()
    this.#waiting.push(committed)
    this.#commitSoon()
    return committed.promise
  }

  /** Resolves with the result of the step when its changes are durable. */
  step<T>(body: Step<T>, hasManyStatements = true): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!this.#handle.isOpen) throw new Error('the database has been closed')
      const take = (run: RunNow) => {
        const result = body(run)
        return () => resolve(result)
      }
      this.#steps.push({ take, reject, hasManyStatements })
      this.#commitSoon()
    })
  }

  /** Runs a statement of a Kysely transaction, or a read outside any transaction. */
  async query<R>(query: Query): Promise<QueryResult<R>> {
    try {
      return await this.#statements.run<R>(query)
    } catch (error) {
      if (!this.isInTransaction) this.#reject(error)
      throw error
    }
  }

  /** Commits after the current turn of the event loop: writes queued by then are part of the commit. */
  #commitSoon(): void {
    if (this.#isCommitDue) return
    this.#isCommitDue = true
    setImmediate(async () => {
      const endTurn = await this.takeTurn()
      this.#isCommitDue = false
      if (this.#handle.isOpen) await this.#commit()
      else this.#rejectSteps()
      endTurn()
    })
  }

  /** Rejects steps that were queued while the database was being closed. */
  #rejectSteps(): void {
    for (const { reject } of this.#steps.splice(0)) reject(new Error('the database has been closed'))
  }

  async #commit(): Promise<void> {
    await this.#runSteps()
    if (!this.isInTransaction) return
    try {
      if (this.#flush.hasFailed) await this.#flush.whenDurable()
      this.#raiseVersion()
      await this.query(commit)
      this.#resolveWhenDurable()
    } catch (error) {
      if (this.isInTransaction) this.#handle.exec('rollback')
      this.#reject(error)
    }
  }

  /** Raises `user_version` with each commit that changes something: it identifies the state of the file, see log.ts. */
  #raiseVersion(): void {
    for (const { changes, version } of this.#runNow(commitState).rows) {
      if (changes === this.#changes) return
      this.#changes = changes
      // The value has 32 bits and wraps around to negative numbers.
      this.#statements.execute(`pragma user_version = ${(version + 1) | 0}`)
    }
  }

  async #runSteps(): Promise<void> {
    const steps = this.#steps
    this.#steps = []
    for (const [index, step] of steps.entries()) {
      const isFirst = !this.isInTransaction
      try {
        await this.#join()
      } catch (error) {
        // Another process holds the file: each of the other steps would wait just as long in turn.
        for (const { reject } of steps.slice(index)) reject(error)
        return
      }
      this.#runStep(step, isFirst)
    }
  }

  #runStep({ take, reject, hasManyStatements }: QueuedStep, isFirst: boolean): void {
    const hasSavepoint = !isFirst && hasManyStatements
    try {
      if (hasSavepoint) this.#runNow(savepoint)
      const resolve = take(this.#runNow)
      if (hasSavepoint) this.#runNow(release)
      this.#waiting.push({ resolve, reject })
    } catch (error) {
      reject(error)
      if (!this.isInTransaction) this.#reject(error)
      else if (isFirst) this.#runNow(rollback)
      else if (hasSavepoint) {
        this.#runNow(rollbackToSavepoint)
        this.#runNow(release)
      }
    }
  }

  /** Also needed after a commit without changes: its transaction may have read data that is not durable yet. */
  #resolveWhenDurable(): void {
    const waiting = this.#takeWaiting()
    this.#flush.whenDurable().then(
      () => {
        for (const { resolve } of waiting) resolve()
      },
      error => {
        for (const { reject } of waiting) reject(error)
      },
    )
  }

  #reject(error: unknown): void {
    for (const { reject } of this.#takeWaiting()) reject(error)
  }

  #takeWaiting(): Waiting[] {
    const waiting = this.#waiting
    this.#waiting = []
    return waiting
  }

  /**
   * Empties the log, which holds earlier versions of pages. If a concurrent reader keeps it, the next call empties it.
   */
  async forget(): Promise<void> {
    const endTurn = await this.takeTurn()
    try {
      await this.#commit()
      if (this.#checkpoints === undefined) await this.query(truncate)
      else await this.#checkpoints.truncate()
    } finally {
      endTurn()
    }
  }

  async close(): Promise<void> {
    const endTurn = await this.takeTurn()
    if (!this.#handle.isOpen) return endTurn()
    await this.#commit()
    await this.#flush.whenDurable().catch(() => {})
    // After a failed flush, closing would copy data that may be lost into the file. The next start reads the log
    // instead.
    if (!this.#flush.hasFailed) {
      await this.#closeOthers()
      // The last handle to close copies the log into the file, syncs both, and removes the log.
      this.#handle.exec('pragma synchronous = full')
      this.#handle.close()
    }
    endTurn()
  }
}

const begin = CompiledQuery.raw('begin immediate')
const commitState = CompiledQuery.raw(
  'select total_changes() as changes, user_version as version from pragma_user_version',
) as CompiledQuery<{ changes: number; version: number }>
const commit = CompiledQuery.raw('commit')
const truncate = CompiledQuery.raw('pragma wal_checkpoint(truncate)')
export const rollback = CompiledQuery.raw('rollback')
export const savepoint = CompiledQuery.raw('savepoint part')
export const release = CompiledQuery.raw('release part')
export const rollbackToSavepoint = CompiledQuery.raw('rollback to part')
