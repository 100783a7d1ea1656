import { type AnyFileType, isDocument, questionNumberOf } from '../model/application.ts'
import type { Verdict } from '../platform/blobs/scan-state.ts'
import type { EpochMs } from '../platform/core/clock.ts'
import { sha256OfNothing } from '../platform/core/hashing.ts'
import { prepareQuery } from '../platform/database/prepared-query.ts'
import type { Database } from '../platform/database/tables.ts'
import { replacedBy, scanColumns } from '../schema/scan-columns.ts'
import { addEvent, nextEventNumber } from '../schema/writing/record-event.ts'
import { releaseBlob } from '../schema/writing/release-blobs.ts'
import { renderAgain } from '../schema/writing/render-again.ts'
import { withLedger } from '../schema/writing/with-ledger.ts'
import { primaryReads, readsThrough } from './application-reads-store.ts'

export type ApplicationStore = ReturnType<typeof createApplicationStore>

/** Every call takes the advertiser first, so no query can reach another advertiser's data. */
export function createApplicationStore(database: Database) {
  const { replica } = database
  const primary = primaryReads(database)
  const readVersion = prepareQuery(database.reader, ({ advertiserId }: { advertiserId: number }) =>
    database.reader
      .selectFrom('advertiser_ledger')
      .select('version')
      .where('advertiser_id', '=', advertiserId),
  )
  return {
    ...(replica === undefined ? primary : readsThrough(replica, primary)),

    /** Resolves when the data in an advertiser's lists is durable. `seen` is a version read earlier. */
    whenDurable: async (advertiserId: number, seen: number): Promise<void> =>
      database.whenVersionDurable?.(
        `advertiser ${advertiserId}`,
        seen,
        async () => (await readVersion({ advertiserId }))?.version ?? seen,
      ),

    /**
     * Changes the file's row and the rendered application in one transaction; returns false if there is no such file.
     * With a `blob`, only if that is still its content: the candidate may have replaced the file since it was scanned.
     */
    recordVerdict: (
      advertiserId: number,
      applicationId: number,
      type: AnyFileType,
      verdict: Verdict,
      at: EpochMs,
      blob?: string,
    ): Promise<boolean> =>
      withLedger(database, advertiserId, async trx => {
        // Skip a file that does not exist, or whose content was removed as infected.
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
        const number = await nextEventNumber(trx, advertiserId, at, { changesList: true })
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
          const file = isDocument(type)
            ? { attachmentType: type }
            : { attachmentType: 'answer', question: questionNumberOf(type) }
          const data = { ...file, from, to }
          await addEvent(trx, advertiserId, number, 'attachment.scanned', applicationId, data)
        }
        return true
      }),
  }
}
