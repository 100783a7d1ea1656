import type { Transaction } from 'kysely'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Schema } from '../../platform/database/tables.ts'
import { addEvent, nextEventNumber } from './record-event.ts'

/** Ends the candidate's consent to keep an application for other jobs, and locks the ledger; false if there is none. */
export async function endKeeping(
  trx: Transaction<Schema>,
  advertiserId: number,
  applicationId: number,
  now: EpochMs,
): Promise<boolean> {
  const number = await nextEventNumber(trx, advertiserId, now, { changesList: false })
  if (!(await removeKept(trx, advertiserId, applicationId))) return false
  await addEvent(trx, advertiserId, number, 'application.keep-changed', applicationId, { until: null })
  return true
}

/** Adds no event: another one says that the application is withdrawn. */
export async function removeKept(
  trx: Transaction<Schema>,
  advertiserId: number,
  applicationId: number,
): Promise<boolean> {
  const removed = await trx
    .deleteFrom('kept_applications')
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', '=', applicationId)
    .executeTakeFirst()
  return removed.numDeletedRows > 0n
}
