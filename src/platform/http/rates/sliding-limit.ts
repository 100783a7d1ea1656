import type { Clock } from '../../core/clock.ts'
import { sha256Hex } from '../../core/hashing.ts'
import { Limit, type Usage } from './rate-limit.ts'
import type { SlidingCountStore } from './sliding-count-store.ts'

const hourSeconds = 3600
/** One more than the time has, so that no hour has more hits than it may: its first minute is counted as a whole. */
const buckets = 61

/**
 * Counts the hits of the last hour per key, in minutes, or of more hours in as many parts: for what a person does some times an hour. Every hit is counted in
 * the database, so the limit holds for all nodes together, and nothing is kept in memory. Refused hits are not counted.
 */
export class SlidingLimit extends Limit {
  readonly #max: number
  readonly #clock: Clock
  readonly #store: SlidingCountStore
  readonly #bucketSeconds: number

  constructor({ name, max, hours = 1, clock, store }: Readonly<SlidingOptions>) {
    super(name, max, hours * hourSeconds)
    this.#bucketSeconds = hours * 60
    this.#max = max
    this.#clock = clock
    this.#store = store
  }

  async hit(key: string): Promise<Usage> {
    const seconds = this.#clock() / 1000
    const bucket = Math.floor(seconds / this.#bucketSeconds)
    const counts = await this.#store.hit(
      {
        name: this.name,
        key: sha256Hex(key),
        window: bucket,
        hits: 1,
        expiresAt: this.#endOf(bucket) * 1000,
      },
      // Also hits of later minutes, from before the clock was set back.
      { from: bucket - buckets + 1, to: bucket + buckets - 1, max: this.#max },
    )
    const used = counts.reduce((sum, { hits }) => sum + hits, 0)
    const isExceeded = used > this.#max
    // The refused hit was taken back.
    let left = used - Number(isExceeded)
    // The first minute without whose hits there is room for another one.
    const next = counts.find(({ hits }) => {
      left -= hits
      return left < this.#max
    })
    const resetSeconds = Math.ceil(this.#endOf(next?.window ?? bucket) - seconds)
    return { remaining: Math.max(0, this.#max - used), resetSeconds, isExceeded }
  }

  /** When the hits of a part are no longer counted, in seconds. */
  #endOf(bucket: number): number {
    return (bucket + buckets) * this.#bucketSeconds
  }
}

interface SlidingOptions {
  name: string
  max: number
  hours?: number
  clock: Clock
  store: SlidingCountStore
}
