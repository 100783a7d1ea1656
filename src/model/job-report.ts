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

/** What came of a report: the ad was taken down, or left as it is. */
export type ReportOutcome = 'held' | 'kept'

/** What an operator does to an ad; `approve` is the release of an ad that waits for a review. */
export type AdAct = 'hold' | 'release' | 'approve' | 'dismiss'

/** Why an ad is not public: it waits for an operator's review, or an operator holds it. */
export interface AdHold {
  kind: 'review' | 'held'
  /** What the company is told. */
  reason: string | null
  at: EpochMs
}
