import { sql, type Transaction } from 'kysely'
import type { EpochMs } from '../../core/clock.ts'
import type { ApplicationStatus } from '../../model/application-status.ts'
import type { Dialect, Schema } from './tables.ts'

/**
 * What transactions share that change an application after it was sent. They lock in this order: candidate, ledger of
 * the advertiser, application, then counts in the order of their key.
 */

export interface LockedApplication {
  advertiserId: number
  id: number
  /** 0: none of our ads. */
  jobAdId: number
  status: ApplicationStatus
  erasedAt: EpochMs | null
}

/** Undefined if the advertiser has no such application. */
export async function lockApplication(
  trx: Transaction<Schema>,
  dialect: Dialect,
  advertiserId: number,
  applicationId: number,
): Promise<LockedApplication | undefined> {
  const wanted = trx
    .selectFrom('applications')
    .select(['job_ad_id', 'status', 'erased_at'])
    .where('advertiser_id', '=', advertiserId)
    .where('id', '=', applicationId)
  const row = await (dialect === 'postgres' ? wanted.forUpdate() : wanted).executeTakeFirst()
  return (
    row && {
      advertiserId,
      id: applicationId,
      jobAdId: row.job_ad_id ?? 0,
      status: row.status,
      erasedAt: row.erased_at,
    }
  )
}

/** Sets the status and moves the counts. */
export async function setStatus(
  trx: Transaction<Schema>,
  { advertiserId, id, jobAdId, status: former }: LockedApplication,
  status: ApplicationStatus,
): Promise<void> {
  if (status === former) return
  await trx
    .updateTable('applications')
    .set({ status })
    .where('advertiser_id', '=', advertiserId)
    .where('id', '=', id)
    .execute()
  for (const each of [former, status].toSorted()) {
    const change = each === status ? 1 : -1
    await trx
      .insertInto('application_counts')
      .values({ advertiser_id: advertiserId, job_ad_id: jobAdId, status: each, applications: change })
      .onConflict(conflict =>
        conflict
          .columns(['advertiser_id', 'job_ad_id', 'status'])
          .doUpdateSet({ applications: sql`application_counts.applications + ${change}` }),
      )
      .execute()
  }
}

type HistoryEntry = Pick<Schema['application_history'], 'at' | 'kind'> &
  Partial<Pick<Schema['application_history'], 'actor_id' | 'former' | 'status' | 'text'>>

/** Adds to the history of an application that the transaction has locked, which gives it the next position. */
export async function addHistory(
  trx: Transaction<Schema>,
  { advertiserId, id }: Pick<LockedApplication, 'advertiserId' | 'id'>,
  entry: HistoryEntry,
): Promise<void> {
  const { last } = await trx
    .selectFrom('application_history')
    .select(({ fn }) => fn.coalesce(fn.max('position'), sql<number>`0`).as('last'))
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', '=', id)
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('application_history')
    .values({ advertiser_id: advertiserId, application_id: id, position: last + 1, ...entry })
    .execute()
}
