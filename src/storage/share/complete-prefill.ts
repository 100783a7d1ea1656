import type { EpochMs } from '../../core/clock.ts'
import type { Database } from '../database/tables.ts'
import { withLedger } from '../postgres/ledger-turns.ts'
import { addEvent, drawNumber } from '../writing/record-event.ts'

/** Records when a prefilled application was completed, the first time. False if the client has no such application. */
export async function completePrefill(
  database: Database,
  clientId: string,
  applicationId: string,
  completedAt: EpochMs,
  now: EpochMs,
): Promise<boolean> {
  const { reader } = database
  const found = await reader
    .selectFrom('prefilled_applications')
    .select(['advertiser_id as advertiserId', 'completed_at as completedAt'])
    .where('id', '=', applicationId)
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  if (found === undefined || found.completedAt !== null) return found !== undefined
  const { advertiserId } = found
  return withLedger(database, advertiserId, async trx => {
    const number = await drawNumber(trx, advertiserId, now, { changesList: false })
    const completed = await trx
      .updateTable('prefilled_applications')
      .set({ completed_at: completedAt })
      .where('id', '=', applicationId)
      .where('client_id', '=', clientId)
      .where('completed_at', 'is', null)
      .returning('position_reference')
      .executeTakeFirst()
    // Another call was faster, or the candidate has just deleted the account.
    if (completed === undefined) {
      const left = trx
        .selectFrom('prefilled_applications')
        .select('id')
        .where('id', '=', applicationId)
        .where('client_id', '=', clientId)
      return (await left.executeTakeFirst()) !== undefined
    }
    await addEvent(trx, advertiserId, number, 'prefill.completed', null, {
      prefilledApplicationId: applicationId,
      positionReference: completed.position_reference,
      completedAt: new Date(completedAt).toISOString(),
    })
    return true
  })
}
