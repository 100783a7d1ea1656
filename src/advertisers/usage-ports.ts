import type { EpochMs } from '../core/clock.ts'

/** Days are `YYYY-MM-DD` in Australian Eastern Standard Time. */
export interface DayCount {
  day: string
  count: number
}

export interface CallCount {
  advertiserId: number
  day: string
  calls: number
}

export interface UsageStore {
  /** Adds to the stored counts, so that counts of several nodes add up. Ignores advertisers that no longer exist. */
  addCalls(counts: readonly CallCount[]): Promise<void>
  /** Counts from this day on; days without calls are left out. */
  calls(advertiserId: number, from: string): Promise<DayCount[]>
  /** When the newest application came in; 0 if there is none. */
  lastApplicationAt(advertiserId: number): Promise<EpochMs>
  /** Counts the applications from `from` (inclusive) to `before` (exclusive). */
  countApplications(advertiserId: number, from: EpochMs, before: EpochMs): Promise<number>
  /** Days whose final counts are stored. */
  countedDays(advertiserId: number, from: string): Promise<DayCount[]>
  /** Stores final counts; changes nothing for a day that is already stored. */
  keepDays(advertiserId: number, days: readonly DayCount[]): Promise<void>
}
