import type { SubmissionStore } from '../../applications/submitting-ports.ts'
import { addApplication } from '../add-application.ts'
import { withLedger } from '../ledger-turns.ts'
import type { Database } from '../schema.ts'

export function createSubmissionStore(database: Database): SubmissionStore {
  return {
    add: (advertiserId, application, now) =>
      withLedger(database, advertiserId, trx =>
        addApplication(trx, database, advertiserId, application, now),
      ),
  }
}
