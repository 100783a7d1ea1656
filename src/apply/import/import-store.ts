import type { Kysely, Transaction } from 'kysely'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import type { Database, Dialect, Schema } from '../../platform/database/tables.ts'
import { eventsOf } from '../../schema/writing/record-event.ts'
import { addApplication } from '../add-application-store.ts'
import type { NewApplication } from '../new-application.ts'
import { objectionTo, type Refusal, type RefusalCode, refuseForAdvertiser } from './refusals.ts'

export interface ImportBatch {
  /** Number of lines processed before this batch and after it. */
  from: number
  to: number
  isLast: boolean
  /** In date order. */
  entries: readonly BatchEntry[]
  refusals: readonly Refusal[]
  /** The advertisers that have already received applications from this file. */
  begun: ReadonlySet<number>
  /** After this time, the clean-up may have removed the entries' files, because no row refers to them yet. */
  filesKeptUntil: EpochMs
}

export interface BatchEntry {
  line: number
  advertiserId: number
  submittedAt: EpochMs
  application: NewApplication
}

export interface ImportState {
  /** Number of lines processed, in date order. */
  linesDone: number
  imported: number
  refused: number
  finishedAt: EpochMs | null
}

export type ImportStore = ReturnType<typeof createImportStore>

/** Identifies import files by the hash of their content. */
export function createImportStore(database: Database) {
  const { writer, reader, hints } = database
  return {
    find: (fileHash: string): Promise<ImportState | undefined> =>
      reader
        .selectFrom('imports')
        .select(['entries_done as linesDone', 'imported', 'refused', 'finished_at as finishedAt'])
        .where('file_hash', '=', fileHash)
        .executeTakeFirst(),

    /** Has no effect if the import was begun before. */
    async begin(fileHash: string, at: EpochMs): Promise<void> {
      await writer
        .insertInto('imports')
        .values({ file_hash: fileHash, entries_done: 0, imported: 0, refused: 0, started_at: at })
        .onConflict(conflict => conflict.doNothing())
        .execute()
    },

    /** The date of each advertiser's newest application, null if it has none; unknown advertisers are left out. */
    async newestApplications(advertiserIds: readonly number[]): Promise<Map<number, EpochMs | null>> {
      if (advertiserIds.length === 0) return new Map()
      return newestOf(await selectLedger(reader, advertiserIds).execute())
    },

    /**
     * Stores the applications, the rejections and the progress in one durable step. Rejects and returns the entries of
     * advertisers that can no longer accept them. Does nothing if another run has already processed these lines
     * (`overtaken`), or if the clean-up may have removed the files (`too-late`).
     */
    async addBatch(
      fileHash: string,
      batch: ImportBatch,
      clock: Clock,
    ): Promise<Refusal[] | 'overtaken' | 'too-late'> {
      await database.ids?.admit()
      let events: ReturnType<typeof eventsOf> = []
      try {
        return await writer.transaction().execute(async trx => {
          const result = await addWithin(trx, database, fileHash, batch, clock)
          events = eventsOf(trx)
          return result
        })
      } catch (error) {
        if (error instanceof TooLate) return 'too-late'
        throw error
      } finally {
        for (const advertiserId of new Set(batch.entries.map(entry => entry.advertiserId))) {
          hints?.changed({ advertiserId }, events)
          events = []
        }
      }
    },

    async refusals(fileHash: string, afterLine: number, limit: number): Promise<Refusal[]> {
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

/** Thrown to roll the transaction back. */
class TooLate extends Error {}

async function addWithin(
  trx: Transaction<Schema>,
  database: Database,
  fileHash: string,
  batch: ImportBatch,
  clock: Clock,
): Promise<Refusal[] | 'overtaken'> {
  // Must come first: another run of the same file waits here, and then finds that its lines were processed.
  const claimed = await trx
    .updateTable('imports')
    .set({ entries_done: batch.to, ...(batch.isLast ? { finished_at: clock() } : {}) })
    .where('file_hash', '=', fileHash)
    .where('entries_done', '=', batch.from)
    .where('finished_at', 'is', null)
    .executeTakeFirst()
  if (claimed.numUpdatedRows === 0n) return 'overtaken'

  const late = await refuseLate(trx, database.dialect, batch)
  const lateLines = new Set(late.map(({ line }) => line))
  const taken = batch.entries.filter(({ line }) => !lateLines.has(line))
  for (const { advertiserId, application, submittedAt } of taken) {
    await addApplication(trx, database, advertiserId, application, clock(), {
      submittedAt,
      event: 'application.imported',
    })
  }
  const refused = [...batch.refusals, ...late]
  if (refused.length > 0) {
    await trx
      .insertInto('import_refusals')
      .values(refused.map(refusal => ({ file_hash: fileHash, ...refusal })))
      .execute()
  }
  const done = await trx
    .updateTable('imports')
    .set(eb => ({
      imported: eb('imported', '+', taken.length),
      refused: eb('refused', '+', refused.length),
    }))
    .where('file_hash', '=', fileHash)
    .returning(['imported', 'refused'])
    .executeTakeFirst()
  if (batch.isLast && done !== undefined)
    await recordAudit(trx, {
      action: 'applications.import',
      scope: 'board',
      target: `file:${fileHash}`,
      after: done,
    })
  // Must come last, after every statement that may have had to wait.
  if (clock() > batch.filesKeptUntil) throw new TooLate()
  return late
}

/** Rejects the entries of advertisers that have received a newer application since the import began. */
async function refuseLate(
  trx: Transaction<Schema>,
  dialect: Dialect,
  { entries, begun }: ImportBatch,
): Promise<Refusal[]> {
  const advertiserIds = [...new Set(entries.map(({ advertiserId }) => advertiserId))]
  if (advertiserIds.length === 0) return []
  // These locks are held until the commit. Every transaction that takes several of them uses this order, so that two
  // imports cannot deadlock. SQLite has only one writer.
  const ledger = selectLedger(trx, advertiserIds).orderBy('advertiser_id')
  const newest = newestOf(await (dialect === 'postgres' ? ledger.forUpdate() : ledger).execute())
  const firstDates = new Map<number, EpochMs>()
  return entries.flatMap(({ line, advertiserId, submittedAt }) => {
    const first = firstDates.get(advertiserId) ?? submittedAt
    firstDates.set(advertiserId, first)
    const objection = objectionTo(newest.get(advertiserId), first, begun.has(advertiserId))
    return objection === undefined ? [] : [refuseForAdvertiser(line, advertiserId, objection)]
  })
}

function selectLedger(db: Kysely<Schema>, advertiserIds: readonly number[]) {
  return db
    .selectFrom('advertiser_ledger')
    .select(['advertiser_id', 'last_submitted_at', 'version'])
    .where('advertiser_id', 'in', advertiserIds)
}

/** Each application increases the version, so version 0 means that the advertiser has none. */
function newestOf(
  rows: Pick<Schema['advertiser_ledger'], 'advertiser_id' | 'last_submitted_at' | 'version'>[],
): Map<number, EpochMs | null> {
  return new Map(rows.map(row => [row.advertiser_id, row.version === 0 ? null : row.last_submitted_at]))
}
