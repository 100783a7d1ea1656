import type { Clock } from '../../core/clock.ts'
import { sha256Hex } from '../../core/hashing.ts'
import { Limit, type Usage } from './rate-limit.ts'
import type { SlidingCountStore } from './sliding-count-store.ts'

const hourSeconds = 3600
/** One part more than the period has, so that no period exceeds the limit: its first part is counted as a whole. */
const buckets = 61

/**
 * Counts hits per key over the last hour by minute, or over more hours in 60 parts: for actions that a person takes a
 * few times an hour. Every hit is counted in the database, so the limit holds for all nodes together, and nothing is
 * kept in memory. Refused hits are not counted.
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
      // Includes hits of later parts, from before the clock was set back.
      { from: bucket - buckets + 1, to: bucket + buckets - 1, max: this.#max },
    )
    const used = counts.reduce((sum, { hits }) => sum + hits, 0)
    const isExceeded = used > this.#max
    // Subtract the refused hit, which was removed again.
    let left = used - Number(isExceeded)
    // The first part whose expiry makes room for another hit.
    const next = counts.find(({ hits }) => {
      left -= hits
      return left < this.#max
    })
    const resetSeconds = Math.ceil(this.#endOf(next?.window ?? bucket) - seconds)
    return { remaining: Math.max(0, this.#max - used), resetSeconds, isExceeded }
  }

  /** When the hits of a part stop counting, in seconds. */
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
