import type { Clock, EpochMs } from '../../core/clock.ts'
import { sha256Hex } from '../../core/hashing.ts'
import type { RateCountStore } from './rate-counts-ports.ts'

/** One key in one window of a limit, as this node knows it. */
export interface KeyCount {
  readonly name: string
  readonly key: string
  readonly window: number
  /** Some time after its window, because the clock of another node may be late. */
  readonly expiresAt: EpochMs
  /** Hits on this node. */
  own: number
  /** How many of these the other nodes know of. */
  told: number
  /** Hits on the other nodes, as far as this one knows. */
  others: number
  /** Waits to be told. */
  isNoted: boolean
}

export interface SharedCountLimits {
  rateCountMs: number
  rateCountWaitMs: number
  rateCountRows: number
}

/**
 * What the nodes tell each other of their rate limits: each adds its hits since the last time to a table, and finds
 * there what all of them have. One statement for many keys, one at a time, and none while nobody calls.
 */
export class SharedCounts {
  readonly #store: RateCountStore
  readonly #clock: Clock
  readonly #limits: SharedCountLimits
  readonly #onAway: (error: unknown) => void
  readonly #onBack: () => void
  #noted: KeyCount[] = []
  #timer: NodeJS.Timeout | undefined
  /** The round that is under way, and the one for those who came too late for it. */
  #round: PromiseWithResolvers<void> | undefined
  #nextRound: PromiseWithResolvers<void> | undefined
  #isAway = false

  constructor(deps: {
    store: RateCountStore
    clock: Clock
    limits: SharedCountLimits
    /** From here on each node counts for itself, until it is back. */
    onAway(error: unknown): void
    onBack(): void
  }) {
    this.#store = deps.store
    this.#clock = deps.clock
    this.#limits = deps.limits
    this.#onAway = deps.onAway
    this.#onBack = deps.onBack
  }

  /** It was hit: the others know of it within `rateCountMs`. */
  note(count: KeyCount): void {
    if (count.isNoted) return
    count.isNoted = true
    this.#noted.push(count)
    this.#timer ??= setTimeout(() => this.#begin(), this.#limits.rateCountMs).unref()
  }

  /**
   * Tells at once what was noted until now. Resolves when the totals are known, or when it turns out that they
   * cannot be; undefined when that is known already. Never rejects.
   */
  tell(): Promise<void> | undefined {
    return this.#isAway ? undefined : this.#begin()
  }

  /** Before the database is closed: what a node has counted outlives it. */
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
      await this.#tellAll()
      this.#round.resolve()
      this.#round = this.#nextRound
      this.#nextRound = undefined
    }
  }

  async #tellAll(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const now = this.#clock()
    const told: Told[] = this.#noted
      .filter(({ expiresAt }) => expiresAt > now)
      .map(count => ({ count, own: count.own }))
    for (const count of this.#noted) count.isNoted = false
    this.#noted = []
    while (told.length > 0) {
      if (!(await this.#tellSome(told.slice(0, this.#limits.rateCountRows)))) break
      told.splice(0, this.#limits.rateCountRows)
    }
    for (const { count } of told) this.note(count)
  }

  /** False when it did not go through; it may have been counted all the same, and is then counted twice. */
  async #tellSome(some: readonly Told[]): Promise<boolean> {
    const { rateCountWaitMs } = this.#limits
    const noAnswer = () => this.#turnAway(new Error(`no answer within ${rateCountWaitMs} ms`))
    const late = setTimeout(noAnswer, rateCountWaitMs).unref()
    try {
      const totals = await this.#store.add(some.map(rowOf))
      for (const [index, { count, own }] of some.entries()) {
        count.told = own
        // Never less than before: a table that was lost with its server begins anew.
        count.others = Math.max(count.others, (totals[index] as number) - own)
      }
      this.#turnBack()
      return true
    } catch (error) {
      this.#turnAway(error)
      return false
    } finally {
      clearTimeout(late)
    }
  }

  #turnAway(error: unknown): void {
    // Whoever waits has waited long enough.
    this.#round?.resolve()
    this.#nextRound?.resolve()
    if (this.#isAway) return
    this.#isAway = true
    this.#onAway(error)
  }

  #turnBack(): void {
    if (!this.#isAway) return
    this.#isAway = false
    this.#onBack()
  }
}

/** A count, and how many hits of this node it had when the round began: later ones have their place by the next. */
interface Told {
  count: KeyCount
  own: number
}

/** Addresses, and whatever strangers have typed, are nobody's business in a table; and hashes are short. */
function rowOf({ count: { name, key, window, told, expiresAt }, own }: Told) {
  return { name, key: sha256Hex(key), window, hits: own - told, expiresAt }
}
