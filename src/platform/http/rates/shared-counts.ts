import type { Clock, EpochMs } from '../../core/clock.ts'
import { sha256Hex } from '../../core/hashing.ts'
import type { Log } from '../../core/log.ts'
import type { RateCountStore } from './rate-count-store.ts'

/** Limit: How often a node shares its counts: a limit across nodes costs one write per second, not one per request. */
const rateCountMs = 1_000
/**
 * Limit: How long a request waits for the other nodes' counts; after that each node counts for itself until the
 * database responds.
 */
const rateCountWaitMs = 3_000
/** Limit: Counts written in one statement: it holds the shared write lock for a few milliseconds. */
const rateCountRows = 500

/** A key's hits in one window of a limit, as known to this node. */
export interface KeyCount {
  readonly name: string
  readonly key: string
  readonly window: number
  /** Some time after the end of its window, because another node's clock may be behind. */
  readonly expiresAt: EpochMs
  /** Hits on this node. */
  own: number
  /** Hits already reported to the other nodes. */
  told: number
  /** Known hits on the other nodes. */
  others: number
  /** Whether it is waiting to be reported. */
  isNoted: boolean
}

/**
 * Exchanges rate limit counts between nodes: each adds its new hits to a table and reads the totals of all nodes from it.
 * One statement for many keys, one at a time, and none while there are no requests.
 */
export class SharedCounts {
  readonly #store: RateCountStore
  readonly #clock: Clock
  readonly #rows: number
  readonly #log: Log
  #noted: KeyCount[] = []
  #timer: NodeJS.Timeout | undefined
  /** The running round, and the next one for hits that missed it. */
  #round: PromiseWithResolvers<void> | undefined
  #nextRound: PromiseWithResolvers<void> | undefined
  #isAway = false

  constructor(deps: { store: RateCountStore; clock: Clock; log: Log; rows?: number }) {
    this.#store = deps.store
    this.#clock = deps.clock
    this.#rows = deps.rows ?? rateCountRows
    this.#log = deps.log
  }

  /** Records a hit; the other nodes know of it within `rateCountMs`. */
  note(count: KeyCount): void {
    if (count.isNoted) return
    count.isNoted = true
    this.#noted.push(count)
    this.#timer ??= setTimeout(() => this.#begin(), rateCountMs).unref()
  }

  /**
   * Reports all recorded hits immediately. Resolves when the totals are known or cannot be obtained; returns undefined if
   * the database is already known to be unavailable. Never rejects.
   */
  report(): Promise<void> | undefined {
    return this.#isAway ? undefined : this.#begin()
  }

  /** Reports the remaining hits before the database is closed, so that they are kept after the node ends. */
  async close(): Promise<void> {
    await this.#round?.promise
    if (this.#noted.length > 0) await this.#begin()
    clearTimeout(this.#timer)
  }

  #begin(): Promise<void> {
    if (this.#round !== undefined) {
      this.#nextRound ??= Promise.withResolvers()
      return this.#nextRound.promise
    }
    this.#round = Promise.withResolvers()
    const { promise } = this.#round
    this.#goRound()
    return promise
  }

  async #goRound(): Promise<void> {
    while (this.#round !== undefined) {
      await this.#reportAll()
      this.#round.resolve()
      this.#round = this.#nextRound
      this.#nextRound = undefined
    }
  }

  async #reportAll(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const now = this.#clock()
    const open: Reported[] = this.#noted
      .filter(({ expiresAt }) => expiresAt > now)
      .map(count => ({ count, own: count.own }))
    for (const count of this.#noted) count.isNoted = false
    this.#noted = []
    while (open.length > 0) {
      if (!(await this.#reportSome(open.slice(0, this.#rows)))) break
      open.splice(0, this.#rows)
    }
    for (const { count } of open) this.note(count)
  }

  /** Returns false if the statement failed; if it was committed nevertheless, the hits are counted twice. */
  async #reportSome(some: readonly Reported[]): Promise<boolean> {
    const noAnswer = () => this.#markUnavailable(new Error(`no response within ${rateCountWaitMs} ms`))
    const late = setTimeout(noAnswer, rateCountWaitMs).unref()
    try {
      const totals = await this.#store.add(some.map(rowOf))
      for (const [index, { count, own }] of some.entries()) {
        count.told = own
        // Never lower than before: a table that was lost with its server starts from zero.
        count.others = Math.max(count.others, (totals[index] as number) - own)
      }
      this.#markAvailable()
      return true
    } catch (error) {
      this.#markUnavailable(error)
      return false
    } finally {
      clearTimeout(late)
    }
  }

  #markUnavailable(error: unknown): void {
    // Waiting requests must not wait any longer.
    this.#round?.resolve()
    this.#nextRound?.resolve()
    if (this.#isAway) return
    this.#isAway = true
    this.#log.warn({ err: error }, 'rate limits are counted on this node only')
  }

  #markAvailable(): void {
    if (!this.#isAway) return
    this.#isAway = false
    this.#log.info({}, 'rate limits are counted across nodes again')
  }
}

/** A count and its hits on this node when the round began; later hits belong to the next round. */
interface Reported {
  count: KeyCount
  own: number
}

/** Stores keys as hashes: they are short, and the table then contains no addresses or other input. */
function rowOf({ count: { name, key, window, told, expiresAt }, own }: Reported) {
  return { name, key: sha256Hex(key), window, hits: own - told, expiresAt }
}
