import { sql } from 'kysely'
import type { Verdict } from '../../platform/blobs/scan-state.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { sha256OfNothing } from '../../platform/core/hashing.ts'
import type { Database } from '../../platform/database/tables.ts'
import { replacedBy, scanColumns, scanOf } from '../../schema/scan-columns.ts'
import { lockCandidate } from '../../schema/writing/lock-candidate.ts'
import { releaseBlob } from '../../schema/writing/release-blobs.ts'

export type ScanningStore = ReturnType<typeof createScanningStore>

/** Files that await a verdict, of all candidates and advertisers, by blob. */
export function createScanningStore({ reader, writer }: Database) {
  return {
    /** Ascending by name, each blob once. Only an empty page is the last. */
    async unscanned(afterBlob: string, limit: number): Promise<{ blob: string; size: number }[]> {
      const waitingIn = (table: 'application_files' | 'resumes' | 'draft_files') =>
        reader
          .selectFrom(
            reader
              .selectFrom(table)
              .select(['blob', 'size'])
              // A literal, to match the partial index of files to scan: SQLite does not use such an index otherwise.
              .where('scan', '=', sql.lit('unscanned'))
              .where('blob', '>', afterBlob)
              .orderBy('blob')
              .limit(limit)
              .as('page'),
          )
          .select(['blob', 'size'])
      const rows = await reader
        .selectFrom(
          waitingIn('application_files')
            .union(waitingIn('resumes'))
            .union(waitingIn('draft_files'))
            .as('page'),
        )
        .select(['blob', 'size'])
        .orderBy('blob')
        .limit(limit)
        .execute()
      return rows.map(({ blob, size }) => ({ blob: blob as string, size }))
    },

    resumesOf: (blob: string) =>
      reader
        .selectFrom('resumes')
        .select(['candidate_id as candidateId', 'id as resumeId', scanOf('resumes').as('scan')])
        .where('blob', '=', blob)
        .execute(),

    draftFilesOf: (blob: string) =>
      reader
        .selectFrom('draft_files')
        .select(scanOf('draft_files').as('scan'))
        .where('blob', '=', blob)
        .execute(),

    /**
     * Drops the content of an infected file in the same transaction. Returns false if no draft has the file without
     * this verdict.
     */
    recordDraftVerdict: (blob: string, verdict: Verdict, at: EpochMs): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        const judged = await trx
          .updateTable('draft_files')
          .set(judgedAs(verdict))
          .where('blob', '=', blob)
          .where('scan', 'in', replacedBy(verdict))
          .executeTakeFirst()
        if (judged.numUpdatedRows === 0n) return false
        if (verdict === 'infected') await releaseBlob(trx, blob, at)
        return true
      }),

    attachmentsOf: (blob: string) =>
      reader
        .selectFrom('application_files')
        .select(['advertiser_id as advertiserId', 'application_id as applicationId', 'type'])
        .select(scanOf('application_files').as('scan'))
        .where('blob', '=', blob)
        .execute(),

    /**
     * Drops the content of an infected resume in the same transaction. Returns false if the resume is gone or known to
     * be infected.
     */
    recordResumeVerdict: (
      candidateId: string,
      resumeId: string,
      verdict: Verdict,
      at: EpochMs,
    ): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        // Lock first, as deleting and applying do, so that no transaction copies the old state.
        await lockCandidate(trx, candidateId)
        const resume = await trx
          .selectFrom('resumes')
          .select('blob')
          .where('candidate_id', '=', candidateId)
          .where('id', '=', resumeId)
          .where('scan', 'in', replacedBy(verdict))
          .executeTakeFirst()
        if (resume === undefined) return false
        await trx
          .updateTable('resumes')
          .set(judgedAs(verdict))
          .where('candidate_id', '=', candidateId)
          .where('id', '=', resumeId)
          .execute()
        if (verdict === 'infected') await releaseBlob(trx, resume.blob, at)
        return true
      }),
  }
}

/** Drops the content of an infected file. */
const judgedAs = (verdict: Verdict) => ({
  ...scanColumns(verdict),
  ...(verdict === 'infected' ? { blob: null, sha256: sha256OfNothing, size: 0 } : {}),
})
