import type { Transaction } from 'kysely'
import type { Withdrawal } from '../../apply/form/ports.ts'
import type { EpochMs } from '../../core/clock.ts'
import type { Database, Dialect, Schema } from '../database/tables.ts'
import { withLedger } from '../postgres/ledger-turns.ts'
import { bury } from '../writing/bury.ts'
import { addHistory, lockApplication, setStatus } from '../writing/change-application.ts'
import { lockLivingCandidate } from '../writing/lock-candidate.ts'
import { planErasures } from '../writing/plan-erasures.ts'
import { queueNotices } from '../writing/queue-notice.ts'
import { addEvent, drawNumber } from '../writing/record-event.ts'

/** The advertiser's lists stay as they are: the version 1 contract has no word for it. */
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
    await bury(trx, ['withdrawal', advertiserId, applicationId, eraseAt])
    const members = await trx
      .selectFrom('memberships')
      .select('candidate_id')
      .where('advertiser_id', '=', advertiserId)
      .where('notify', '!=', 'off')
      .execute()
    const about = { advertiserId, applicationId }
    await queueNotices(
      trx,
      [
        { kind: 'application-withdrawn', candidateId, ...about },
        ...members.map(member => ({
          kind: 'candidate-withdrew' as const,
          candidateId: member.candidate_id,
          ...about,
        })),
      ],
      now,
    )
    return 'withdrawn'
  })
}

/** For the candidate's request, and for a request that a restored backup lacks. */
export async function markWithdrawn(
  trx: Transaction<Schema>,
  dialect: Dialect,
  advertiserId: number,
  applicationId: number,
  { now, eraseAt }: { now: EpochMs; eraseAt: EpochMs },
): Promise<'erased' | 'repeated' | 'withdrawn'> {
  // The lock of an erasure of the same application, which plans are made under.
  const number = await drawNumber(trx, advertiserId, now, { changesList: false })
  const application = await lockApplication(trx, dialect, advertiserId, applicationId)
  if (application === undefined || application.erasedAt !== null) return 'erased'
  if (application.status === 'withdrawn') return 'repeated'
  await setStatus(trx, [application], 'withdrawn')
  await addHistory(trx, application, {
    at: now,
    kind: 'withdrawn',
    former: application.status,
    status: 'withdrawn',
  })
  await addEvent(trx, advertiserId, number, 'application.withdrawn', applicationId)
  const planned = { advertiser_id: advertiserId, application_id: applicationId, due_at: eraseAt }
  await planErasures(trx, [{ ...planned, reason: 'withdrawn' }])
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
