import type { SubmissionStore } from '../../apply/ports.ts'
import type { Database } from '../database/tables.ts'
import { withLedger } from '../postgres/ledger-turns.ts'
import { addApplication } from './add-application.ts'

export function createSubmissionStore(database: Database): SubmissionStore {
  return {
    add: (advertiserId, application, now) =>
      withLedger(database, advertiserId, trx =>
        addApplication(trx, database, advertiserId, application, now),
      ),
  }
}
