import { fstatSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import {
  type CheckpointJob,
  type CheckpointResult,
  endCheckpoints,
  runCheckpoint,
} from './checkpoint-thread.ts'
import type { Flush } from './flush.ts'
import { asProblem, isBusy, isUnsynced } from './statements.ts'

/** Growth of the log between two checkpoints: 4 MiB, some seventeen submissions. */
const growthPages = 256

/** From this size on, writers wait for the rest of a checkpoint. */
const longPages = 4 * growthPages

/**
 * Makes the checkpoints of one file, in a thread with its own handle: they copy megabytes and wait for the disk twice.
 * The writing handle makes none.
 */
export class Checkpoints {
  readonly #path: string
  readonly #flush: Flush
  readonly #handle: DatabaseSync
  readonly #gauge: StatementSync
  #running: Promise<unknown> | undefined
  /** Pages in the log when the last checkpoint ended. */
  #pages = 0
  /** Pages in the log when writers last waited for a checkpoint. */
  #waitedAt = 0

  constructor(path: string, flush: Flush) {
    this.#path = path
    this.#flush = flush
    this.#handle = new DatabaseSync(path, { timeout: 0 })
    // Reads the log and changes nothing.
    this.#gauge = this.#handle.prepare('pragma wal_checkpoint(noop)')
  }

  /**
   * Whether the next commit must wait for `restart`: it would begin the log again in its place, for which the header
   * must be synced first, or the log is too long. Call while holding the write lock: then the answer stays valid. An
   * empty log needs no such care, because no part of it can return.
   */
  mustWait(): boolean {
    const { log, checkpointed } = this.#gauge.get() as { log: number; checkpointed: number }
    if (log < this.#pages) this.#pages = 0
    if (log < this.#waitedAt) this.#waitedAt = 0
    // Without a pause between writes, no checkpoint would ever be complete, and the log would only grow. A reader may
    // still keep the log, so do not wait again before it has grown.
    if (log > longPages && log - this.#waitedAt >= growthPages) {
      this.#waitedAt = log
      return true
    }
    if (log - this.#pages >= growthPages && this.#running === undefined) void this.#begin()
    return log === checkpointed && fstatSync(this.#flush.log).size > 0
  }

  /** Restarts the log, so that the next commit does not. */
  async restart(): Promise<void> {
    await this.#running
    await this.#run('passive').catch(error => {
      // Another process writes: the next commit waits for it, and checks again.
      if (!isBusy(error)) throw asProblem(error)
    })
  }

  /**
   * Empties the log, which holds earlier versions of pages. If a concurrent reader keeps it, the next call empties it.
   */
  async truncate(): Promise<void> {
    await this.#run('truncate').catch(error => {
      if (!isBusy(error)) throw error
    })
  }

  async #begin(): Promise<void> {
    this.#running = this.#run('passive')
      .then(
        ({ pages, isDone }) => {
          this.#pages = isDone ? 0 : pages
        },
        // A full disk, for instance: the log keeps everything, and grows until the next checkpoint.
        () => {
          this.#pages += growthPages
        },
      )
      .finally(() => {
        this.#running = undefined
      })
  }

  async #run(job: CheckpointJob): Promise<CheckpointResult> {
    // A checkpoint would copy pages that may be lost.
    if (this.#flush.hasFailed) await this.#flush.whenDurable()
    try {
      return await runCheckpoint({ path: this.#path, job, log: this.#flush.log })
    } catch (error) {
      throw isUnsynced(error) ? this.#flush.fail(error) : error
    }
  }

  async close(): Promise<void> {
    await this.#running
    await endCheckpoints(this.#path)
    this.#handle.close()
  }
}
