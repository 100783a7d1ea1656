import type { Transaction } from 'kysely'
import type { EpochMs } from '../../core/clock.ts'
import type { BatchEntry, ImportStore } from '../../imports/ports.ts'
import { objectionTo, type Refusal, type RefusalCode, refuseForAdvertiser } from '../../imports/refusals.ts'
import { addApplication } from '../add-application.ts'
import type { Database, Dialect, Schema } from '../schema.ts'

export function createImportStore({ writer, reader, dialect }: Database): ImportStore {
  return {
    find: fileHash =>
      reader
        .selectFrom('imports')
        .select(['entries_done as linesDone', 'imported', 'refused', 'finished_at as finishedAt'])
        .where('file_hash', '=', fileHash)
        .executeTakeFirst(),

    async begin(fileHash, at) {
      await writer
        .insertInto('imports')
        .values({ file_hash: fileHash, entries_done: 0, imported: 0, refused: 0, started_at: at })
        .onConflict(conflict => conflict.doNothing())
        .execute()
    },

    async newestApplications(advertiserIds) {
      if (advertiserIds.length === 0) return new Map()
      const rows = await reader
        .selectFrom('advertiser_ledger')
        .select(['advertiser_id', 'last_submitted_at'])
        .where('advertiser_id', 'in', advertiserIds)
        .execute()
      return new Map(rows.map(row => [row.advertiser_id, row.last_submitted_at]))
    },

    addBatch: (fileHash, { from, to, isLast, entries, refusals }, at) =>
      writer.transaction().execute(async trx => {
        // First of all: another run of the same file waits here, and then finds that it came too late.
        const claimed = await trx
          .updateTable('imports')
          .set({ entries_done: to, ...(isLast ? { finished_at: at } : {}) })
          .where('file_hash', '=', fileHash)
          .where('entries_done', '=', from)
          .where('finished_at', 'is', null)
          .executeTakeFirst()
        if (claimed.numUpdatedRows === 0n) return undefined

        const late = await refuseLate(trx, dialect, entries)
        const lateLines = new Set(late.map(({ line }) => line))
        const taken = entries.filter(({ line }) => !lateLines.has(line))
        for (const { advertiserId, application, submittedAt } of taken) {
          await addApplication(trx, dialect, advertiserId, application, submittedAt)
        }
        const refused = [...refusals, ...late]
        if (refused.length > 0) {
          await trx
            .insertInto('import_refusals')
            .values(refused.map(refusal => ({ file_hash: fileHash, ...refusal })))
            .execute()
        }
        await trx
          .updateTable('imports')
          .set(eb => ({
            imported: eb('imported', '+', taken.length),
            refused: eb('refused', '+', refused.length),
          }))
          .where('file_hash', '=', fileHash)
          .execute()
        return late
      }),

    async refusals(fileHash, afterLine, limit) {
      const rows = await reader
        .selectFrom('import_refusals')
        .select(['line', 'code', 'reason'])
        .where('file_hash', '=', fileHash)
        .where('line', '>', afterLine)
        .orderBy('line')
        .limit(limit)
        .execute()
      return rows.map(row => ({ ...row, code: row.code as RefusalCode }))
    },
  }
}

/** Somebody may have applied since the import began: whoever is ahead of the history by now takes none of it. */
async function refuseLate(
  trx: Transaction<Schema>,
  dialect: Dialect,
  entries: readonly BatchEntry[],
): Promise<Refusal[]> {
  const advertiserIds = [...new Set(entries.map(({ advertiserId }) => advertiserId))]
  if (advertiserIds.length === 0) return []
  // Held until the commit, and taken in one order by everybody who takes several, or two imports could wait for
  // each other for ever. SQLite has one writer.
  const ledger = trx
    .selectFrom('advertiser_ledger')
    .select(['advertiser_id', 'last_submitted_at'])
    .where('advertiser_id', 'in', advertiserIds)
    .orderBy('advertiser_id')
  const rows = await (dialect === 'postgres' ? ledger.forUpdate() : ledger).execute()
  const newest = new Map<number, EpochMs>(rows.map(row => [row.advertiser_id, row.last_submitted_at]))
  const firstDates = new Map<number, EpochMs>()
  return entries.flatMap(({ line, advertiserId, submittedAt }) => {
    const first = firstDates.get(advertiserId) ?? submittedAt
    firstDates.set(advertiserId, first)
    const objection = objectionTo(newest.get(advertiserId), first)
    return objection === undefined ? [] : [refuseForAdvertiser(line, advertiserId, objection)]
  })
}
