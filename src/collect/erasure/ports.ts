import type { EpochMs } from '../../core/clock.ts'

export interface DueErasure {
  advertiserId: number
  applicationId: number
  dueAt: EpochMs
}

/** What an erasure has taken away; `files` is 0 and `wasErased` true when there was nothing left to take. */
export interface Erased {
  files: number
  hadScreen: boolean
  wasErased: boolean
}

export interface ErasureStore {
  /** Those whose time has come, the oldest first, after the one that is named. */
  due(now: EpochMs, after: DueErasure | undefined, limit: number): Promise<DueErasure[]>
  /**
   * One durable step: everything personal goes, the ID, the dates and the reference stay. Undefined when the
   * advertiser has no such application; harmless when it was erased before.
   */
  erase(advertiserId: number, applicationId: number, at: EpochMs): Promise<Erased | undefined>
}
