import type { EpochMs } from '../../core/clock.ts'

export interface DueErasure {
  advertiserId: number
  applicationId: number
  dueAt: EpochMs
}

/** What an erasure removed. `wasErased` is true, and `files` 0, if the application had already been erased. */
export interface Erased {
  files: number
  hadScreen: boolean
  wasErased: boolean
}

export interface ErasureStore {
  /** Erasures that are due, oldest first, starting after `after`; without those on hold. */
  due(now: EpochMs, after: DueErasure | undefined, limit: number): Promise<DueErasure[]>
  /**
   * Removes everything personal in one durable step; ID, dates and reference stay. Undefined if the advertiser has no
   * such application; nothing happens while it is on hold. Can be repeated safely. With `isPlanned`, only while it is
   * due: the company may have chosen a longer period since that was read.
   */
  erase(
    advertiserId: number,
    applicationId: number,
    at: EpochMs,
    options?: { isPlanned: boolean },
  ): Promise<Erased | 'on-hold' | 'not-due' | undefined>
}
