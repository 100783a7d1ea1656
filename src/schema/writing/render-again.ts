import type { Transaction } from 'kysely'
import { type ApplicationView, type Format, renderApplication } from '../../model/v1/rendering.ts'
import type { Schema } from '../../platform/database/tables.ts'
import { applicationColumns } from '../columns.ts'
import { primaryInfoOf } from '../primary-info.ts'

const formats: readonly Format[] = ['json', 'xml']

export function pieceOf(format: Format, view: ApplicationView) {
  const { body, primaryInfo } = renderApplication(format, view)
  return { body, primary_info: primaryInfo }
}

/** Renders an application again, in the transaction that changed it, so that version 1 shows the change. */
export async function renderAgain(
  trx: Transaction<Schema>,
  advertiserId: number,
  applicationId: number,
): Promise<void> {
  const view = await readView(trx, advertiserId, applicationId)
  for (const format of formats) {
    await trx
      .updateTable('application_pieces')
      .set(pieceOf(format, view))
      .where('advertiser_id', '=', advertiserId)
      .where('format', '=', format)
      .where('id', '=', applicationId)
      .execute()
  }
}

async function readView(
  trx: Transaction<Schema>,
  advertiserId: number,
  applicationId: number,
): Promise<ApplicationView> {
  const row = await trx
    .selectFrom('applications')
    .select(applicationColumns)
    .where('advertiser_id', '=', advertiserId)
    .where('id', '=', applicationId)
    .executeTakeFirstOrThrow()
  const files = await trx
    .selectFrom('application_files')
    .select(['type', 'sha256', 'size', 'scan', 'uploaded_at as uploadedAt'])
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', '=', applicationId)
    .execute()
  const screen = await trx
    .selectFrom('application_screens')
    .select(['sha256', 'size'])
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', '=', applicationId)
    .executeTakeFirst()
  return {
    id: row.id,
    submittedAt: row.submitted_at,
    contact: { email: row.email, firstName: row.first_name, lastName: row.last_name, phone: row.phone },
    jobSeekerId: row.job_seeker_id,
    jobReference: row.job_reference,
    files,
    primaryJobSeekingInfo: primaryInfoOf(row),
    screen: screen ?? null,
  }
}
