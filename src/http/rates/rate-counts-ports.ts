import type { EpochMs } from '../../core/clock.ts'

/** The hits of a key in a time window. */
export interface RateCount {
  /** Name of the limit. */
  name: string
  key: string
  window: number
  hits: number
  /** Not read after this time. */
  expiresAt: EpochMs
}

/** The counts of all nodes together. */
export interface RateCountStore {
  /** Adds these hits in one statement and returns the new totals in the same order. */
  add(counts: readonly RateCount[]): Promise<number[]>
}
