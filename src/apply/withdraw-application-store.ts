import { sql, type Transaction } from 'kysely'
import type { EpochMs } from '../platform/core/clock.ts'
import type { Database, Dialect, Schema } from '../platform/database/tables.ts'
import {
  addHistory,
  addStatusEvents,
  lockApplication,
  setStatuses,
} from '../schema/writing/change-application.ts'
import { removeKept } from '../schema/writing/end-keeping.ts'
import { lockLivingCandidate } from '../schema/writing/lock-candidate.ts'
import { planErasures } from '../schema/writing/plan-erasures.ts'
import { queueNotices } from '../schema/writing/queue-notice.ts'
import { addEvent, nextEventNumber } from '../schema/writing/record-event.ts'
import { recordTombstones } from '../schema/writing/record-tombstones.ts'
import { withLedger } from '../schema/writing/with-ledger.ts'

/** `repeated`: already withdrawn; `erased`: nothing is left to withdraw. */
export type Withdrawal = 'withdrawn' | 'repeated' | 'erased' | 'unknown'

/** The advertiser's lists stay as they are: the version 1 contract has no value for a withdrawal. */
export async function withdrawApplication(
  database: Database,
  candidateId: string,
  applicationId: number,
  { now, eraseAt }: { now: EpochMs; eraseAt: EpochMs },
): Promise<Withdrawal> {
  const own = await findOwn(database, candidateId, applicationId)
  if (own === undefined) return 'unknown'
  const { advertiserId } = own
  return withLedger(database, advertiserId, async trx => {
    await lockLivingCandidate(trx, candidateId)
    const withdrawal = await markWithdrawn(trx, database.dialect, advertiserId, applicationId, {
      now,
      eraseAt,
    })
    if (withdrawal !== 'withdrawn') return withdrawal
    await recordTombstones(trx, ['withdrawal', advertiserId, applicationId, eraseAt])
    await tellMembersLater(trx, database.dialect, advertiserId, applicationId)
    await queueNotices(
      trx,
      [{ kind: 'application-withdrawn', candidateId, advertiserId, applicationId }],
      now,
    )
    return 'withdrawn'
  })
}

/**
 * Members who were notified of the application are informed of its withdrawal in their next email about new
 * applications.
 */
async function tellMembersLater(
  trx: Transaction<Schema>,
  dialect: Dialect,
  advertiserId: number,
  applicationId: number,
): Promise<void> {
  const members = trx
    .selectFrom('memberships')
    .select(['advertiser_id', 'candidate_id', sql.lit(applicationId).as('application_id')])
    .where('advertiser_id', '=', advertiserId)
    .where('notify', '!=', 'off')
    .where('told_up_to', '>=', applicationId)
  await trx
    .insertInto('untold_withdrawals')
    .columns(['advertiser_id', 'candidate_id', 'application_id'])
    // Skips members who are being removed: inserting a row for one of them would fail.
    .expression(dialect === 'postgres' ? members.forKeyShare() : members)
    .execute()
}

/** For the candidate's request, and for repeating a request that a restored backup lacks. */
export async function markWithdrawn(
  trx: Transaction<Schema>,
  dialect: Dialect,
  advertiserId: number,
  applicationId: number,
  { now, eraseAt }: { now: EpochMs; eraseAt: EpochMs },
): Promise<'erased' | 'repeated' | 'withdrawn'> {
  // Erasures of applications take the same lock, and their plans are made under it.
  const number = await nextEventNumber(trx, advertiserId, now, { changesList: false })
  const application = await lockApplication(trx, dialect, advertiserId, applicationId)
  if (application === undefined || application.erasedAt !== null) return 'erased'
  if (application.status === 'withdrawn') return 'repeated'
  await setStatuses(trx, [{ application, status: 'withdrawn' }])
  await addHistory(trx, application, {
    at: now,
    kind: 'withdrawn',
    former: application.status,
    status: 'withdrawn',
  })
  await addEvent(trx, advertiserId, number, 'application.withdrawn', applicationId)
  const change = { applicationId, from: application.status, to: 'withdrawn' as const, at: now }
  await addStatusEvents(trx, advertiserId, [change], { by: 'candidate' }, now)
  const planned = { advertiser_id: advertiserId, application_id: applicationId, due_at: eraseAt }
  await planErasures(trx, [{ ...planned, reason: 'withdrawn' }])
  await removeKept(trx, advertiserId, applicationId)
  return 'withdrawn'
}

/** An application of the candidate, with the advertiser that has it. */
export function findOwn({ reader }: Pick<Database, 'reader'>, candidateId: string, applicationId: number) {
  return reader
    .selectFrom('own_applications')
    .select(['advertiser_id as advertiserId', 'submitted_at as submittedAt'])
    .where('candidate_id', '=', candidateId)
    .where('application_id', '=', applicationId)
    .executeTakeFirst()
}
