import type { DatabaseSync } from 'node:sqlite'
import { CompiledQuery, type QueryResult } from 'kysely'
import type { RunNow, Step } from '../database/tables.ts'
import { type Query, Statements } from './statements.ts'

interface QueuedStep {
  /** Whether a failure half-way leaves changes to undo; a single statement undoes itself. */
  hasManyStatements: boolean
  /** Returns a function to call once the changes are committed. */
  take(run: RunNow): () => void
  reject(error: unknown): void
}

interface Waiting {
  resolve(): void
  reject(error: unknown): void
}

/**
 * Lets concurrent writes share a commit. A commit waits for the disk, and one fsync serves every transaction that is
 * ready: concurrent transactions are savepoints of one transaction, and each resolves when that one is committed. Each
 * is still atomic, and none resolves before its bytes are on the disk.
 *
 * Transactions of Kysely take turns, which costs a dozen promises each. Steps are the short way: they are queued and run
 * one after the other right before the commit.
 */
export class SharedCommits {
  readonly #handle: DatabaseSync
  readonly #statements: Statements
  readonly #runNow: RunNow
  /** When the last turn ends. */
  #lastTurn: Promise<void> = Promise.resolve()
  #steps: QueuedStep[] = []
  #waiting: Waiting[] = []
  #isCommitDue = false
  #changes = 0

  constructor(handle: DatabaseSync, busyWaitMs: number) {
    this.#handle = handle
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
    // Immediate: takes the write lock now or not at all. Half-way, giving up would be the only choice.
    if (!this.isInTransaction) await this.query(begin)
  }

  /** Resolves when the changes so far have been committed. */
  whenCommitted(): Promise<void> {
    const committed = Promise.withResolvers<void>()
    this.#waiting.push(committed)
    this.#commitSoon()
    return committed.promise
  }

  /** Resolves with the result of the step when its changes have been committed. */
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

  /** For a statement in a transaction of Kysely, or a read beside one. */
  async query<R>(query: Query): Promise<QueryResult<R>> {
    try {
      return await this.#statements.run<R>(query)
    } catch (error) {
      if (!this.isInTransaction) this.#settle(error)
      throw error
    }
  }

  /** Commits after the current turn of the event loop: writes in the queue by then are part of the commit. */
  #commitSoon(): void {
    if (this.#isCommitDue) return
    this.#isCommitDue = true
    setImmediate(async () => {
      const endTurn = await this.takeTurn()
      this.#isCommitDue = false
      if (this.#handle.isOpen) await this.#commit()
      endTurn()
    })
  }

  async #commit(): Promise<void> {
    await this.#runSteps()
    if (!this.isInTransaction) return
    try {
      this.#raiseVersion()
      await this.query(commit)
      this.#settle()
    } catch (error) {
      if (this.isInTransaction) this.#handle.exec('rollback')
      this.#settle(error)
    }
  }

  /** Raises `user_version` with each commit that changes something: it identifies the state of the file, see log.ts. */
  #raiseVersion(): void {
    for (const { changes, version } of this.#runNow(commitState).rows) {
      if (changes === this.#changes) return
      this.#changes = changes
      // It has 32 bits and wraps around to the negative numbers.
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
        // Another process holds the file: the other steps would wait as long, one after the other.
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
      if (!this.isInTransaction) this.#settle(error)
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

  /** Empties the log, which holds earlier versions of pages. A concurrent reader keeps it; the next call will do. */
  async forget(): Promise<void> {
    const endTurn = await this.takeTurn()
    try {
      await this.#commit()
      await this.query(CompiledQuery.raw('pragma wal_checkpoint(truncate)'))
    } finally {
      endTurn()
    }
  }

  async close(): Promise<void> {
    const endTurn = await this.takeTurn()
    if (!this.#handle.isOpen) return endTurn()
    await this.#commit()
    this.#handle.close()
    endTurn()
  }
}

const begin = CompiledQuery.raw('begin immediate')
const commitState = CompiledQuery.raw(
  'select total_changes() as changes, user_version as version from pragma_user_version',
) as CompiledQuery<{ changes: number; version: number }>
const commit = CompiledQuery.raw('commit')
export const rollback = CompiledQuery.raw('rollback')
export const savepoint = CompiledQuery.raw('savepoint part')
export const release = CompiledQuery.raw('release part')
export const rollbackToSavepoint = CompiledQuery.raw('rollback to part')
