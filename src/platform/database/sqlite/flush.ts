import { closeSync, fdatasync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { currentReads, type Durability } from '../../core/async/response-reads.ts'
import { syncPath } from '../../core/files/replace-file.ts'
import { Problem } from '../../core/problems.ts'
import { markUnsynced } from './unsynced-log.ts'

/** More names than one process is asked for; the map is cleared beyond this number. */
const knownVersions = 10_000

const fdatasyncFile = promisify(fdatasync)

/**
 * Makes commits durable off the event loop. A commit writes its pages to the log, where every process can read them,
 * and does not wait for the disk. One `fdatasync` of the log at a time, on a thread of the pool, serves all commits
 * before it; commits made while it runs share the next. See docs/decisions/105-flush-beside-the-event-loop.md.
 */
export class Flush implements Durability {
  readonly #dataVersion: StatementSync
  /** SQLite keeps this file while a handle is open. It takes no locks on it, so closing this descriptor drops none. */
  readonly log: number
  readonly #sync: (file: number) => Promise<void>
  readonly #path: string
  #begun = 0
  #ended = 0
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  /** The `data_version` at the start of the last successful flush. */
  #durable: number | undefined
  #failure: Problem | undefined
  /** Everything was durable when the database was closed. */
  #isClosed = false
  readonly #failed = Promise.withResolvers<Error>()
  readonly #known = new Map<string, unknown>()

  constructor(path: string, reader: DatabaseSync, sync = fdatasyncFile) {
    this.log = openSync(`${path}-wal`, 'r+')
    this.#dataVersion = reader.prepare('pragma data_version')
    this.#sync = sync
    this.#path = path
  }

  /** Resolves after a failed flush. */
  get failed(): Promise<Error> {
    return this.#failed.promise
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined
  }

  get moment(): number {
    return this.#begun
  }

  covers(moment: number): boolean {
    return this.#failure === undefined && (this.#ended > moment || this.#isClean())
  }

  async whenDurable(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    if (!this.#isClean()) await this.#flush()
  }

  /**
   * Call after a read: its response will wait until the data it read is durable. Without a response, the read itself
   * waits.
   */
  async noteRead(): Promise<void> {
    const reads = currentReads()
    if (reads === undefined) await this.whenDurable()
    else reads.add(this)
  }

  /**
   * For data whose version increases with every change: returns immediately if this version is known to be durable,
   * even if other commits are not. `seen` is the version read earlier; `read` reads it again.
   */
  async whenVersionDurable(name: string, seen: number, read: () => Promise<number>): Promise<void> {
    if (this.#failure === undefined && this.#isClean()) return this.#know(name, seen)
    const version = await read()
    if (this.#known.get(name) !== version) {
      await this.whenDurable()
      this.#know(name, version)
    }
    currentReads()?.clear()
  }

  #know(name: string, version: number): void {
    if (this.#known.size >= knownVersions) this.#known.clear()
    this.#known.set(name, version)
  }

  /** Whether no process has committed since the last flush began. */
  #isClean(): boolean {
    return this.#isClosed || this.#version() === this.#durable
  }

  /** Changes with each commit by other handles, which make all commits. NaN if it cannot be read now. */
  #version(): number {
    try {
      return Number(this.#dataVersion.get()?.['data_version'])
    } catch {
      return Number.NaN
    }
  }

  /** Resolves when a flush that begins after this call has ended. */
  #flush(): Promise<void> {
    if (this.#next !== undefined) return this.#next
    if (this.#running === undefined) return this.#begin()
    this.#next = this.#running.then(() => this.#begin())
    return this.#next
  }

  #begin(): Promise<void> {
    this.#next = undefined
    this.#begun += 1
    this.#running = this.#run(this.#version())
    return this.#running
  }

  async #run(version: number): Promise<void> {
    try {
      // The log may have been created when it was opened.
      if (this.#ended === 0) await syncPath(dirname(this.#path))
      await this.#sync(this.log)
      this.#ended = this.#begun
      this.#durable = version
    } catch (error) {
      throw this.fail(error)
    } finally {
      this.#running = undefined
    }
  }

  /**
   * Fails for good: the system may have dropped the pages that it could not write, so a successful retry proves
   * nothing.
   */
  fail(cause: unknown): Problem {
    if (this.#failure === undefined) markUnsynced(this.#path)
    this.#failure ??= new Problem('unavailable', 'The database is temporarily unavailable.', {
      retryAfterSeconds: 5,
      cause,
    })
    this.#failed.resolve(cause as Error)
    return this.#failure
  }

  async close(): Promise<void> {
    this.#isClosed = true
    // The next flush begins when the running one ends, and needs the descriptor too.
    await (this.#next ?? this.#running)?.catch(() => {})
    closeSync(this.log)
  }
}
