import { sql } from 'kysely'
import type { ApplicationStore } from '../../applications/ports.ts'
import { sha256OfNothing } from '../../core/hashing.ts'
import { addApplication } from '../add-application.ts'
import { pageReader } from '../application-page.ts'
import { letGo } from '../let-go.ts'
import { renderAgain } from '../render-again.ts'
import type { Database } from '../schema.ts'

export function createApplicationStore({ writer, reader, dialect }: Database): ApplicationStore {
  return {
    add: (advertiserId, application, now) =>
      writer.transaction().execute(trx => addApplication(trx, dialect, advertiserId, application, now)),

    async resolveBounds(advertiserId, { afterDate, beforeDate }) {
      const own = reader
        .selectFrom('applications')
        .select('id')
        .where('advertiser_id', '=', advertiserId)
        .limit(1)
      const lastUpTo = (date: number) =>
        own.where('submitted_at', '<=', date).orderBy('submitted_at', 'desc').orderBy('id', 'desc')
      const firstFrom = (date: number) =>
        own.where('submitted_at', '>=', date).orderBy('submitted_at').orderBy('id')
      // One statement, and so one moment: what arrives a moment later lies beyond `newest`.
      const row = await reader
        .selectNoFrom([
          own.orderBy('id', 'desc').as('newest'),
          afterDate === undefined ? sql<null>`null`.as('after') : lastUpTo(afterDate).as('after'),
          beforeDate === undefined ? sql<null>`null`.as('before') : firstFrom(beforeDate).as('before'),
        ])
        .executeTakeFirstOrThrow()
      return { after: row.after ?? 0, before: row.before ?? (row.newest ?? 0) + 1 }
    },

    page: pageReader(reader, dialect),

    file: (advertiserId, applicationId, type) =>
      reader
        .selectFrom('application_files')
        .select(['type', 'file_name as fileName', 'content_type as contentType', 'blob', 'sha256'])
        .select(['size', 'scan', 'uploaded_at as uploadedAt', 'changed_at as changedAt'])
        .where('advertiser_id', '=', advertiserId)
        .where('application_id', '=', applicationId)
        .where('type', '=', type)
        .executeTakeFirst(),

    async screen(advertiserId, applicationId, format) {
      const row = await reader
        .selectFrom('application_screens')
        .select(`${format} as text`)
        .where('advertiser_id', '=', advertiserId)
        .where('application_id', '=', applicationId)
        .executeTakeFirst()
      return row?.text
    },

    recordVerdict: (advertiserId, applicationId, type, verdict, at) =>
      writer.transaction().execute(async trx => {
        // What is not there, or was found infected, is left alone: the content of an infected file is gone.
        const judgeable = await trx
          .selectFrom('application_files')
          .select('blob')
          .where('advertiser_id', '=', advertiserId)
          .where('application_id', '=', applicationId)
          .where('type', '=', type)
          .where('scan', '!=', 'infected')
          .executeTakeFirst()
        if (judgeable === undefined) return false
        // The ledger first, as in add: whoever changes what a list shows holds the advertiser's lock.
        await trx
          .updateTable('advertiser_ledger')
          .set(eb => ({ version: eb('version', '+', 1) }))
          .where('advertiser_id', '=', advertiserId)
          .execute()
        const changed = await trx
          .updateTable('application_files')
          // An infected file shows what its download returns: nothing.
          .set({
            scan: verdict,
            changed_at: at,
            ...(verdict === 'infected' ? { blob: null, sha256: sha256OfNothing, size: 0 } : {}),
          })
          .where('advertiser_id', '=', advertiserId)
          .where('application_id', '=', applicationId)
          .where('type', '=', type)
          .where('scan', '!=', 'infected')
          .executeTakeFirst()
        if (changed.numUpdatedRows === 0n) return false
        if (verdict === 'infected') {
          await letGo(trx, judgeable.blob, at)
          await trx
            .updateTable('applications')
            .set({ has_virus: 1 })
            .where('advertiser_id', '=', advertiserId)
            .where('id', '=', applicationId)
            .execute()
        }
        await renderAgain(trx, advertiserId, applicationId)
        return true
      }),
  }
}
