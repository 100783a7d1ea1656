import type { EpochMs } from '../platform/core/clock.ts'
import type { Database } from '../platform/database/tables.ts'
import { withLedger } from '../schema/writing/with-ledger.ts'
import { addApplication, type Receipt } from './add-application-store.ts'
import type { NewApplication } from './new-application.ts'

export type SubmissionStore = ReturnType<typeof createSubmissionStore>

/** Every call takes the advertiser first, so no query can reach another advertiser's data. */
export function createSubmissionStore(database: Database) {
  return {
    /**
     * Adds the application in one durable step. Within an advertiser, IDs become visible in ascending order and dates
     * never decrease, even with concurrent writers.
     */
    add: (advertiserId: number, application: NewApplication, now: EpochMs): Promise<Receipt> =>
      withLedger(database, advertiserId, trx =>
        addApplication(trx, database, advertiserId, application, now),
      ),
  }
}
