import type { Transaction } from 'kysely'
import type { Replacement } from '../../apply/form/ports.ts'
import type { EpochMs } from '../../core/clock.ts'
import type { ApplicationFile } from '../../model/application.ts'
import { scanColumns } from '../database/scan-columns.ts'
import type { Database, Schema } from '../database/tables.ts'
import { withLedger } from '../postgres/ledger-turns.ts'
import { addHistory, isOnHold, lockApplication, lockLedger } from '../writing/change-application.ts'
import { lockLivingCandidate } from '../writing/lock-candidate.ts'
import { drawNumber } from '../writing/record-event.ts'
import { releaseBlob } from '../writing/release-blobs.ts'
import { renderAgain } from './render-again.ts'
import { findOwn } from './withdraw-application.ts'

/**
 * A read is recorded under a lock of the application's row, before the reader gets the content. So it is either seen
 * here, or its reader gets the new document.
 */
export async function replaceDocument(
  database: Database,
  candidateId: string,
  applicationId: number,
  file: ApplicationFile,
  { now, recordedSince }: { now: EpochMs; recordedSince: EpochMs },
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
    await drawNumber(trx, advertiserId, now, { changesList: true })
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

/** Whether any read is on record, alone or in a list. */
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
