import type { EpochMs } from '../core/clock.ts'
import type { NewApplication } from './new-application.ts'

export interface Receipt {
  id: number
  submittedAt: EpochMs
}

/** Advertiser first in every call: no query of the store can reach over to another's data. */
export interface SubmissionStore {
  /**
   * One durable step. Within an advertiser, IDs become visible in ascending order and dates never decrease,
   * however many writers there are.
   */
  add(advertiserId: number, application: NewApplication, now: EpochMs): Promise<Receipt>
}
