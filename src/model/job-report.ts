import type { EpochMs } from '../platform/core/clock.ts'

/** Why a person reports an ad. */
export const reportReasons = [
  'fraud',
  'misleading',
  'discrimination',
  'missing',
  'gone',
  'offensive',
  'other',
] as const
export type ReportReason = (typeof reportReasons)[number]

/** Outcome of a report: the ad was taken down, or left as it is. */
export type ReportOutcome = 'held' | 'kept'

/** An operator's act on an ad; `approve` releases an ad that awaits a review. */
export type AdAct = 'hold' | 'release' | 'approve' | 'dismiss'

/** Why an ad is not public: it awaits an operator's review, or an operator holds it. */
export interface AdHold {
  kind: 'review' | 'held'
  /** The reason shown to the company. */
  reason: string | null
  at: EpochMs
}
