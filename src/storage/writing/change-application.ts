import type { Kysely, Transaction } from 'kysely'
import type { EpochMs } from '../../core/clock.ts'
import type { ApplicationStatus } from '../../model/application-status.ts'
import type { Dialect, Schema } from '../database/tables.ts'

/**
 * What transactions share that change an application after it was sent. They lock in this order: candidate, ledger of
 * the advertiser, applications by their IDs, then counts in the order of their key.
 */

export interface LockedApplication {
  advertiserId: number
  id: number
  /** 0: none of our ads. */
  jobAdId: number
  status: ApplicationStatus
  erasedAt: EpochMs | null
}

/** Locks the ledger of an advertiser without a new version, for what the advertiser's lists do not show. */
export async function lockLedger(
  trx: Transaction<Schema>,
  dialect: Dialect,
  advertiserId: number,
): Promise<void> {
  if (dialect === 'sqlite') return
  const ledger = trx.selectFrom('advertiser_ledger').select('version')
  await ledger.where('advertiser_id', '=', advertiserId).forUpdate().execute()
}

/** Those of the advertiser among these IDs. Foreign keys of other transactions may still refer to them. */
export async function lockApplications(
  trx: Transaction<Schema>,
  dialect: Dialect,
  advertiserId: number,
  ids: readonly number[],
): Promise<LockedApplication[]> {
  if (ids.length === 0) return []
  const wanted = trx
    .selectFrom('applications')
    .select(['id', 'job_ad_id', 'status', 'erased_at'])
    .where('advertiser_id', '=', advertiserId)
    .where('id', 'in', ids)
    .orderBy('id')
  const rows = await (dialect === 'postgres' ? wanted.forNoKeyUpdate() : wanted).execute()
  return rows.map(({ id, job_ad_id, status, erased_at }) => ({
    advertiserId,
    id,
    jobAdId: job_ad_id ?? 0,
    status,
    erasedAt: erased_at,
  }))
}

/** Undefined if the advertiser has no such application. */
export async function lockApplication(
  trx: Transaction<Schema>,
  dialect: Dialect,
  advertiserId: number,
  applicationId: number,
): Promise<LockedApplication | undefined> {
  const [application] = await lockApplications(trx, dialect, advertiserId, [applicationId])
  return application
}

/** Sets the status of applications of one advertiser, and moves the counts. */
export async function setStatus(
  trx: Transaction<Schema>,
  applications: readonly LockedApplication[],
  status: ApplicationStatus,
): Promise<void> {
  const changed = applications.filter(application => application.status !== status)
  const [first] = changed
  if (first === undefined) return
  const { advertiserId } = first
  await trx
    .updateTable('applications')
    .set({ status })
    .where('advertiser_id', '=', advertiserId)
    .where(
      'id',
      'in',
      changed.map(({ id }) => id),
    )
    .execute()
  const moves = changed.flatMap(({ jobAdId, status: former }) => [
    { jobAdId, status: former, by: -1 },
    { jobAdId, status, by: 1 },
  ])
  await addCounts(trx, advertiserId, moves)
}

interface CountChange {
  /** 0: none of our ads. */
  jobAdId: number
  status: ApplicationStatus
  by: number
}

/** Changes counts in the order of their key, as every transaction does that changes more than one. */
export async function addCounts(
  trx: Transaction<Schema>,
  advertiserId: number,
  changes: readonly CountChange[],
): Promise<void> {
  const sums = new Map<string, CountChange>()
  for (const change of changes) {
    const key = `${change.jobAdId} ${change.status}`
    sums.set(key, { ...change, by: (sums.get(key)?.by ?? 0) + change.by })
  }
  const rows = [...sums.values()]
    .filter(({ by }) => by !== 0)
    .sort((one, other) => one.jobAdId - other.jobAdId || (one.status < other.status ? -1 : 1))
    .map(({ jobAdId, status, by }) => ({
      advertiser_id: advertiserId,
      job_ad_id: jobAdId,
      status,
      applications: by,
    }))
  if (rows.length === 0) return
  await trx
    .insertInto('application_counts')
    .values(rows)
    .onConflict(conflict =>
      conflict.columns(['advertiser_id', 'job_ad_id', 'status']).doUpdateSet(eb => ({
        applications: eb('application_counts.applications', '+', eb.ref('excluded.applications')),
      })),
    )
    .execute()
}

type HistoryEntry = Pick<Schema['application_history'], 'at' | 'kind'> &
  Partial<Pick<Schema['application_history'], 'actor_id' | 'former' | 'status' | 'text'>>

/** Adds to the history of an application that the transaction has locked, which gives it the next position. */
export async function addHistory(
  trx: Transaction<Schema>,
  { advertiserId, id }: Pick<LockedApplication, 'advertiserId' | 'id'>,
  entry: HistoryEntry,
): Promise<void> {
  await addHistories(trx, advertiserId, [{ application_id: id, ...entry }])
}

/** The same for several applications, one entry each. */
export async function addHistories(
  trx: Transaction<Schema>,
  advertiserId: number,
  entries: readonly (HistoryEntry & { application_id: number })[],
): Promise<void> {
  if (entries.length === 0) return
  await trx
    .insertInto('application_history')
    .values(eb =>
      entries.map(entry => ({
        advertiser_id: advertiserId,
        position: eb
          .selectFrom('application_history as earlier')
          .select(({ fn, lit }) =>
            eb(fn.coalesce(fn.max('earlier.position'), lit(0)), '+', lit(1)).as('next'),
          )
          .where('earlier.advertiser_id', '=', advertiserId)
          .where('earlier.application_id', '=', entry.application_id),
        ...entry,
      })),
    )
    .execute()
}

/** What happened, oldest first, as the candidate may read it: without notes, reasons and the names of colleagues. */
export function historyForCandidate(db: Kysely<Schema>, advertiserId: number, applicationId: number) {
  return db
    .selectFrom('application_history')
    .select(['at', 'kind', 'status'])
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', '=', applicationId)
    .where('kind', 'in', ['status', 'withdrawn', 'document'])
    .orderBy('position')
    .execute()
}

/** Call with the application locked: a hold is placed under the same lock. */
export async function isOnHold(
  trx: Transaction<Schema>,
  advertiserId: number,
  applicationId: number,
): Promise<boolean> {
  const hold = await trx
    .selectFrom('application_holds')
    .select('placed_at')
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', '=', applicationId)
    .executeTakeFirst()
  return hold !== undefined
}
