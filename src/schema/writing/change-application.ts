import type { Transaction } from 'kysely'
import { type ApplicationStatus, type ProgressReason, stateOf } from '../../model/application-status.ts'
import { detailOf, typeCode } from '../../model/events.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'
import { nextEventNumbers, noteEvent } from './record-event.ts'

/**
 * Functions shared by transactions that change an application after it was sent. They lock in this order: candidate,
 * ledger of the advertiser, applications by their IDs, then counts in the order of their key.
 */

export interface LockedApplication {
  advertiserId: number
  id: number
  /** 0: none of our ads. */
  jobAdId: number
  status: ApplicationStatus
  submittedAt: EpochMs
  erasedAt: EpochMs | null
}

/** Locks the ledger of an advertiser without a new version, for data that the advertiser's lists do not show. */
export async function lockLedger(
  trx: Transaction<Schema>,
  dialect: Dialect,
  advertiserId: number,
): Promise<void> {
  if (dialect === 'sqlite') return
  const ledger = trx.selectFrom('advertiser_ledger').select('version')
  await ledger.where('advertiser_id', '=', advertiserId).forUpdate().execute()
}

/**
 * Locks and returns the advertiser's applications among these IDs. Other transactions can still insert rows that
 * reference them.
 */
export async function lockApplications(
  trx: Transaction<Schema>,
  dialect: Dialect,
  advertiserId: number,
  ids: readonly number[],
): Promise<LockedApplication[]> {
  if (ids.length === 0) return []
  const wanted = trx
    .selectFrom('applications')
    .select(['id', 'job_ad_id', 'status', 'submitted_at', 'erased_at'])
    .where('advertiser_id', '=', advertiserId)
    .where('id', 'in', ids)
    .orderBy('id')
  const rows = await (dialect === 'postgres' ? wanted.forNoKeyUpdate() : wanted).execute()
  return rows.map(({ id, job_ad_id, status, submitted_at, erased_at }) => ({
    advertiserId,
    id,
    jobAdId: job_ad_id ?? 0,
    status,
    submittedAt: submitted_at,
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

export interface StatusMove {
  application: LockedApplication
  status: ApplicationStatus
}

/** Sets the status of applications of one advertiser, each at most once, and moves the counts. */
export async function setStatuses(trx: Transaction<Schema>, moves: readonly StatusMove[]): Promise<void> {
  const changed = moves.filter(({ application, status }) => application.status !== status)
  const [first] = changed
  if (first === undefined) return
  const { advertiserId } = first.application
  for (const [status, group] of Map.groupBy(changed, move => move.status))
    await trx
      .updateTable('applications')
      .set({ status })
      .where('advertiser_id', '=', advertiserId)
      .where(
        'id',
        'in',
        group.map(({ application }) => application.id),
      )
      .execute()
  const counts = changed.flatMap(({ application: { jobAdId, status: former }, status }) => [
    { jobAdId, status: former, by: -1 },
    { jobAdId, status, by: 1 },
  ])
  await addCounts(trx, advertiserId, counts)
}

/** The author of a status change; for a program, with the ID by which it recognises its own changes. */
export type ChangedBy =
  | { by: 'console' | 'candidate' }
  | { by: 'api'; credentialId: string }
  | { by: 'agent'; clientId: string }

export interface StatusEvent {
  applicationId: number
  from: ApplicationStatus
  to: ApplicationStatus
  /** Time of the change, as its author reports it. */
  at: EpochMs
}

/** Writes `application.status-changed` for each, in this order. Locks the ledger if the caller has not. */
export async function addStatusEvents(
  trx: Transaction<Schema>,
  advertiserId: number,
  events: readonly StatusEvent[],
  { by, ...program }: ChangedBy,
  now: EpochMs,
): Promise<void> {
  if (events.length === 0) return
  const type = 'application.status-changed'
  const first = await nextEventNumbers(trx, advertiserId, now, events.length)
  for (const _ of events) noteEvent(trx, type)
  await trx
    .insertInto('events')
    .values(
      events.map(({ applicationId, from, to, at }, index) => ({
        advertiser_id: advertiserId,
        number: first + index,
        type: typeCode(type),
        application_id: applicationId,
        detail: detailOf({
          from: stateOf[from],
          to: stateOf[to],
          at: new Date(at).toISOString(),
          by,
          ...program,
        }),
      })),
    )
    .execute()
}

interface CountChange {
  /** 0: none of our ads. */
  jobAdId: number
  status: ApplicationStatus
  by: number
}

/** Changes counts in the order of their key, like every transaction that changes more than one. */
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
  Partial<Pick<Schema['application_history'], 'actor_id' | 'former' | 'status' | 'text'>> & {
    counted_at?: EpochMs | null
    source?: 'api' | 'agent'
    source_id?: string
    label?: string | null
    reason?: ProgressReason | null
  }

/** Adds the next entry to the history of an application that the transaction has locked. */
export async function addHistory(
  trx: Transaction<Schema>,
  { advertiserId, id }: Pick<LockedApplication, 'advertiserId' | 'id'>,
  entry: HistoryEntry,
): Promise<void> {
  await addHistories(trx, advertiserId, [{ application_id: id, ...entry }])
}

/** Adds several entries to the histories of locked applications; each application's entries must be in order. */
export async function addHistories(
  trx: Transaction<Schema>,
  advertiserId: number,
  entries: readonly (HistoryEntry & { application_id: number })[],
): Promise<void> {
  if (entries.length === 0) return
  // The statement does not see its own rows, so later entries of an application count the earlier ones.
  const added = new Map<number, number>()
  const steps = entries.map(({ application_id }) => {
    const step = (added.get(application_id) ?? 0) + 1
    added.set(application_id, step)
    return step
  })
  await trx
    .insertInto('application_history')
    .values(eb =>
      entries.map((entry, index) => ({
        advertiser_id: advertiserId,
        position: eb
          .selectFrom('application_history as earlier')
          .select(({ fn, lit }) =>
            eb(fn.coalesce(fn.max('earlier.position'), lit(0)), '+', lit(steps[index] as number)).as('next'),
          )
          .where('earlier.advertiser_id', '=', advertiserId)
          .where('earlier.application_id', '=', entry.application_id),
        ...entry,
      })),
    )
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
