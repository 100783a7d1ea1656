import type { EpochMs } from '../../core/clock.ts'

/** How often a key was counted in a window of time. */
export interface RateCount {
  /** Of the limit. */
  name: string
  key: string
  window: number
  hits: number
  /** From then on nobody asks for it. */
  expiresAt: EpochMs
}

/** What all nodes have counted together. */
export interface RateCountStore {
  /** Adds these hits, and returns in the same order what each count is then. One statement. */
  add(counts: readonly RateCount[]): Promise<number[]>
}
