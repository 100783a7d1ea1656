import type { ApplicationStore } from '../../collect/ports.ts'
import { sha256OfNothing } from '../../core/hashing.ts'
import { renderAgain } from '../apply/render-again.ts'
import { replacedBy, scanColumns } from '../database/scan-columns.ts'
import type { Database } from '../database/tables.ts'
import { withLedger } from '../postgres/ledger-turns.ts'
import { addEvent, drawNumber } from '../writing/record-event.ts'
import { releaseBlob } from '../writing/release-blobs.ts'
import { primaryReads } from './application-reads.ts'
import { readsThrough } from './replica-reads.ts'

export function createApplicationStore(database: Database): ApplicationStore {
  const { replica } = database
  const primary = primaryReads(database)
  return {
    ...(replica === undefined ? primary : readsThrough(replica, primary)),

    recordVerdict: (advertiserId, applicationId, type, verdict, at, blob) =>
      withLedger(database, advertiserId, async trx => {
        // Skip a file that does not exist or was found infected, because its content is gone.
        const judgeable = await trx
          .selectFrom('application_files')
          .select(['blob', 'scan'])
          .where('advertiser_id', '=', advertiserId)
          .where('application_id', '=', applicationId)
          .where('type', '=', type)
          .where('scan', 'in', replacedBy(verdict))
          .$if(blob !== undefined, query => query.where('blob', '=', blob ?? null))
          .executeTakeFirst()
        if (judgeable === undefined) return false
        // Lock the ledger first, as addApplication does: every change to a list requires the advertiser's lock.
        const number = await drawNumber(trx, advertiserId, at, { changesList: true })
        const changed = await trx
          .updateTable('application_files')
          // Size and hash of an infected file are those of its download, which is empty.
          .set({
            ...scanColumns(verdict),
            changed_at: at,
            ...(verdict === 'infected' ? { blob: null, sha256: sha256OfNothing, size: 0 } : {}),
          })
          .where('advertiser_id', '=', advertiserId)
          .where('application_id', '=', applicationId)
          .where('type', '=', type)
          .where('scan', 'in', replacedBy(verdict))
          .$if(blob !== undefined, query => query.where('blob', '=', blob ?? null))
          .executeTakeFirst()
        if (changed.numUpdatedRows === 0n) return false
        if (verdict === 'infected') {
          await releaseBlob(trx, judgeable.blob, at)
          await trx
            .updateTable('applications')
            .set({ has_virus: 1 })
            .where('advertiser_id', '=', advertiserId)
            .where('id', '=', applicationId)
            .execute()
        }
        await renderAgain(trx, advertiserId, applicationId)
        const [from, to] = [judgeable.scan, scanColumns(verdict).scan]
        if (from !== to) {
          const data = { attachmentType: type, from, to }
          await addEvent(trx, advertiserId, number, 'attachment.scanned', applicationId, data)
        }
        return true
      }),
  }
}
