import type { EpochMs } from '../core/clock.ts'

/** Days are those of Australian Eastern Standard Time, `YYYY-MM-DD`. */
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
  /** Adds to what is there, so that many nodes add up. Counts of advertisers that are gone are left out. */
  addCalls(counts: readonly CallCount[]): Promise<void>
  /** From this day on; days without a call are left out. */
  calls(advertiserId: number, from: string): Promise<DayCount[]>
  /** When the newest application came in; 0 when there is none. */
  lastApplicationAt(advertiserId: number): Promise<EpochMs>
  /** Counted anew, from the first moment up to the second. */
  countApplications(advertiserId: number, from: EpochMs, before: EpochMs): Promise<number>
  /** Days that were counted for good. */
  countedDays(advertiserId: number, from: string): Promise<DayCount[]>
  /** Changes nothing where a day was counted before. */
  keepDays(advertiserId: number, days: readonly DayCount[]): Promise<void>
}
