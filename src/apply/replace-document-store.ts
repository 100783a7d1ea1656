import type { Transaction } from 'kysely'
import type { AnyFileType, ApplicationFile } from '../model/application.ts'
import type { EpochMs } from '../platform/core/clock.ts'
import type { Database, Schema } from '../platform/database/tables.ts'
import { scanColumns } from '../schema/scan-columns.ts'
import { addHistory, isOnHold, lockApplication, lockLedger } from '../schema/writing/change-application.ts'
import { lockLivingCandidate } from '../schema/writing/lock-candidate.ts'
import { nextEventNumber } from '../schema/writing/record-event.ts'
import { releaseBlob } from '../schema/writing/release-blobs.ts'
import { renderAgain } from '../schema/writing/render-again.ts'
import { withLedger } from '../schema/writing/with-ledger.ts'
import { findOwn } from './withdraw-application-store.ts'

/**
 * `too-late`: the company has seen the application, or it is withdrawn or erased. `too-often`: already replaced `max`
 * times.
 */
export type Replacement = 'replaced' | 'too-late' | 'too-often' | 'unknown'

/**
 * A read is recorded under a lock of the application's row, before the reader gets the content. So either it is seen
 * here, or its reader gets the new document.
 */
export async function replaceDocument(
  database: Database,
  candidateId: string,
  applicationId: number,
  file: ApplicationFile,
  { now, recordedSince, max }: { now: EpochMs; recordedSince: EpochMs; max: number },
): Promise<Replacement> {
  const own = await findOwn(database, candidateId, applicationId)
  if (own === undefined) return 'unknown'
  if (own.submittedAt < recordedSince) return 'too-late'
  const { advertiserId } = own
  return withLedger(database, advertiserId, async trx => {
    await lockLivingCandidate(trx, candidateId)
    await lockLedger(trx, database.dialect, advertiserId)
    const application = await lockApplication(trx, database.dialect, advertiserId, applicationId)
    if (application === undefined || application.erasedAt !== null || application.status !== 'new')
      return 'too-late'
    if (await isOnHold(trx, advertiserId, applicationId)) return 'too-late'
    if (await isRead(trx, advertiserId, applicationId)) return 'too-late'
    if ((await countReplacements(trx, advertiserId, applicationId, file.type)) >= max) return 'too-often'
    await nextEventNumber(trx, advertiserId, now, { changesList: true })
    const ofType = { advertiser_id: advertiserId, application_id: applicationId, type: file.type }
    const [former] = await trx
      .deleteFrom('application_files')
      .where('advertiser_id', '=', advertiserId)
      .where('application_id', '=', applicationId)
      .where('type', '=', file.type)
      .returning('blob')
      .execute()
    if (former !== undefined) await releaseBlob(trx, former.blob, now)
    await trx
      .insertInto('application_files')
      .values({
        ...ofType,
        file_name: file.fileName,
        content_type: file.contentType,
        blob: file.blob,
        sha256: file.sha256,
        size: file.size,
        ...scanColumns(file.scan),
        uploaded_at: file.uploadedAt,
        changed_at: now,
      })
      .execute()
    await markVirus(trx, advertiserId, applicationId)
    await renderAgain(trx, advertiserId, applicationId)
    await addHistory(trx, application, { at: now, kind: 'document', text: file.type })
    return 'replaced'
  })
}

/** Whether any read is recorded, of the application alone or of a list. */
async function isRead(
  trx: Transaction<Schema>,
  advertiserId: number,
  applicationId: number,
): Promise<boolean> {
  const single = await trx
    .selectFrom('application_reads')
    .select('day')
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', '=', applicationId)
    .limit(1)
    .executeTakeFirst()
  if (single !== undefined) return true
  const list = await trx
    .selectFrom('list_reads')
    .select('day')
    .where('advertiser_id', '=', advertiserId)
    .where('first_id', '<=', applicationId)
    .where('last_id', '>=', applicationId)
    .limit(1)
    .executeTakeFirst()
  return list !== undefined
}

async function countReplacements(
  trx: Transaction<Schema>,
  advertiserId: number,
  applicationId: number,
  type: AnyFileType,
): Promise<number> {
  const { count } = await trx
    .selectFrom('application_history')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', '=', applicationId)
    .where('kind', '=', 'document')
    .where('text', '=', type)
    .executeTakeFirstOrThrow()
  return count
}

async function markVirus(
  trx: Transaction<Schema>,
  advertiserId: number,
  applicationId: number,
): Promise<void> {
  const infected = await trx
    .selectFrom('application_files')
    .select('type')
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', '=', applicationId)
    .where('scan', '=', 'infected')
    .limit(1)
    .executeTakeFirst()
  await trx
    .updateTable('applications')
    .set({ has_virus: infected === undefined ? 0 : 1 })
    .where('advertiser_id', '=', advertiserId)
    .where('id', '=', applicationId)
    .execute()
}
