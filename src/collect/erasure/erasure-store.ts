import { sql, type Transaction } from 'kysely'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { isOnHold, lockApplication } from '../../schema/writing/change-application.ts'
import { addEvent, nextEventNumber } from '../../schema/writing/record-event.ts'
import { recordTombstones } from '../../schema/writing/record-tombstones.ts'
import { releaseBlobs } from '../../schema/writing/release-blobs.ts'
import { renderAgain } from '../../schema/writing/render-again.ts'
import { searchTerms } from '../../schema/writing/search-terms.ts'
import { withLedger } from '../../schema/writing/with-ledger.ts'

/** The result of an erasure. `wasErased` is true, and `files` 0, if the application had already been erased. */
export interface Erased {
  files: number
  hadScreen: boolean
  wasErased: boolean
}

export interface ErasureTime {
  now: EpochMs
  /** The service's running time. */
  runningMs: number
}

export interface DueErasure {
  advertiserId: number
  applicationId: number
  dueAt: EpochMs
}

const noContact = { email: '', firstName: '', lastName: '', phone: '' }

/** Erasures planned by release 0.1.0 for a period are planned again first, and wait like the others. */
const isPlannedHere = sql<boolean>`(erasures.ripe_at > 0 or erasures.reason <> 'retention')`

export type ErasureStore = ReturnType<typeof createErasureStore>

export function createErasureStore(database: Database) {
  const { reader, dialect } = database
  return {
    /** Erasures that are due and ripe, oldest first, starting after `after`; omits applications on hold. */
    async due(
      { now, runningMs }: ErasureTime,
      after: DueErasure | undefined,
      limit: number,
    ): Promise<DueErasure[]> {
      const due = reader
        .selectFrom('erasures')
        .select(['advertiser_id as advertiserId', 'application_id as applicationId', 'due_at as dueAt'])
        .where('due_at', '<=', now)
        .where('ripe_at', '<=', runningMs)
        .where(isPlannedHere)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('application_holds as hold')
                .select('hold.application_id')
                .whereRef('hold.advertiser_id', '=', 'erasures.advertiser_id')
                .whereRef('hold.application_id', '=', 'erasures.application_id'),
            ),
          ),
        )
        .orderBy('due_at')
        .orderBy('advertiser_id')
        .orderBy('application_id')
        .limit(limit)
      if (after === undefined) return due.execute()
      return due
        .where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple('due_at', 'advertiser_id', 'application_id'),
            '>',
            tuple(after.dueAt, after.advertiserId, after.applicationId),
          ),
        )
        .execute()
    },

    /**
     * Removes all personal data in one durable transaction; ID, dates and reference stay. Undefined if the advertiser
     * has no such application; nothing happens while it is on hold. Can be repeated safely. With `planned`, only while
     * it is due and ripe: the company may have chosen a longer period since that was read.
     */
    erase: (
      advertiserId: number,
      applicationId: number,
      at: EpochMs,
      planned?: Pick<ErasureTime, 'runningMs'>,
    ): Promise<Erased | 'on-hold' | 'not-due' | undefined> =>
      withLedger(database, advertiserId, async trx => {
        const application = trx
          .selectFrom('applications')
          .select(['email', 'first_name', 'last_name', 'job_reference', 'erased_at'])
          .where('advertiser_id', '=', advertiserId)
          .where('id', '=', applicationId)
        if ((await application.executeTakeFirst()) === undefined) return undefined
        // Lock the ledger first, like every transaction that adds an application or records a verdict.
        const number = await nextEventNumber(trx, advertiserId, at, { changesList: true })
        await lockApplication(trx, dialect, advertiserId, applicationId)
        if (await isOnHold(trx, advertiserId, applicationId)) return 'on-hold'
        const plan = await trx
          .deleteFrom('erasures')
          .where('advertiser_id', '=', advertiserId)
          .where('application_id', '=', applicationId)
          .$if(planned !== undefined, query =>
            query
              .where('due_at', '<=', at)
              .where('ripe_at', '<=', planned?.runningMs ?? 0)
              .where(isPlannedHere),
          )
          .returning('reason')
          .executeTakeFirst()
        if (planned !== undefined && plan === undefined) return 'not-due'
        const found = await application.executeTakeFirstOrThrow()
        if (found.erased_at !== null) return { files: 0, hadScreen: false, wasErased: true }
        const files = await removeFiles(trx, advertiserId, applicationId, at)
        const screens = await trx
          .deleteFrom('application_screens')
          .where('advertiser_id', '=', advertiserId)
          .where('application_id', '=', applicationId)
          .executeTakeFirst()
        await removeTerms(trx, advertiserId, applicationId, found)
        await trx
          .updateTable('applications')
          .set({
            email: '',
            first_name: '',
            last_name: '',
            phone: '',
            job_title: null,
            company_name: null,
            time_in_role_months: null,
            is_new_to_work_force: null,
            screen_successful: null,
            has_virus: 0,
            ad_version: null,
            erased_at: at,
          })
          .where('advertiser_id', '=', advertiserId)
          .where('id', '=', applicationId)
          .execute()
        // The update has locked the row: a note has either been committed, or finds that the application was erased.
        await removeRecords(trx, advertiserId, applicationId)
        await renderAgain(trx, advertiserId, applicationId)
        await emptyKey(trx, advertiserId, applicationId)
        await addEvent(trx, advertiserId, number, 'application.erased', applicationId)
        await recordTombstones(trx, ['application', advertiserId, applicationId])
        await recordAudit(trx, {
          action: 'application.erase',
          scope: { ownerId: advertiserId },
          target: `application:${applicationId}`,
          after: { reason: plan?.reason ?? 'asked' },
        })
        return { files, hadScreen: screens.numDeletedRows > 0n, wasErased: false }
      }),
  }
}

async function removeFiles(
  trx: Transaction<Schema>,
  advertiserId: number,
  applicationId: number,
  at: number,
): Promise<number> {
  const files = await trx
    .deleteFrom('application_files')
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', '=', applicationId)
    .returning('blob')
    .execute()
  await releaseBlobs(trx, files, at)
  return files.length
}

/**
 * Removes the application's history, reads, hold and consent to keep it. Call after updating the row: a transaction
 * that records one of these holds the row, so it has committed before or finds the application erased.
 */
async function removeRecords(
  trx: Transaction<Schema>,
  advertiserId: number,
  applicationId: number,
): Promise<void> {
  for (const table of [
    'application_history',
    'application_reads',
    'application_holds',
    'kept_applications',
  ] as const)
    await trx
      .deleteFrom(table)
      .where('advertiser_id', '=', advertiserId)
      .where('application_id', '=', applicationId)
      .execute()
}

/**
 * Removes the content hash and the link to the key. A retry still finds the application. A key may have been derived
 * from a name, so it is not kept longer than needed.
 */
async function emptyKey(
  trx: Transaction<Schema>,
  advertiserId: number,
  applicationId: number,
): Promise<void> {
  const sent = await trx
    .selectFrom('intake_applications')
    .select(['client_id', 'key'])
    .where('application_id', '=', applicationId)
    .where('advertiser_id', '=', advertiserId)
    .where('key', 'is not', null)
    .executeTakeFirst()
  if (sent === undefined) return
  await trx
    .updateTable('intake_keys')
    .set({ content_hash: '' })
    .where('client_id', '=', sent.client_id)
    .where('key', '=', sent.key)
    // The key expires after a day and may have created another application since.
    .where('answer', '=', String(applicationId))
    .execute()
  await trx
    .updateTable('intake_applications')
    .set({ key: null })
    .where('application_id', '=', applicationId)
    .where('advertiser_id', '=', advertiserId)
    .execute()
}

/** Deletes the search terms by their full key, because no index finds them otherwise. Terms of the reference stay. */
async function removeTerms(
  trx: Transaction<Schema>,
  advertiserId: number,
  applicationId: number,
  row: Pick<Schema['applications'], 'email' | 'first_name' | 'last_name' | 'job_reference'>,
): Promise<void> {
  const contact = { ...noContact, email: row.email, firstName: row.first_name, lastName: row.last_name }
  const kept = searchTerms(noContact, row.job_reference)
  const terms = searchTerms(contact, row.job_reference).filter(term => !kept.includes(term))
  if (terms.length === 0) return
  await trx
    .deleteFrom('application_terms')
    .where('advertiser_id', '=', advertiserId)
    .where('term', 'in', terms)
    .where('application_id', '=', applicationId)
    .execute()
}
