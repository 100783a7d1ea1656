import type { EpochMs } from '../core/clock.ts'
import type { NewApplication } from './new-application.ts'

export interface Receipt {
  id: number
  submittedAt: EpochMs
}

/** Every call takes the advertiser first, so no query can reach another advertiser's data. */
export interface SubmissionStore {
  /**
   * Adds the application in one durable step. Within an advertiser, IDs become visible in ascending order and dates
   * never decrease, even with concurrent writers.
   */
  add(advertiserId: number, application: NewApplication, now: EpochMs): Promise<Receipt>
}
