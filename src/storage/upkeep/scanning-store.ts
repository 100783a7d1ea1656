import { sql } from 'kysely'
import { sha256OfNothing } from '../../core/hashing.ts'
import type { ScanningStore } from '../../files/scanning-ports.ts'
import { replacedBy, scanColumns, scanOf } from '../database/scan-columns.ts'
import type { Database } from '../database/tables.ts'
import { lockCandidate } from '../writing/lock-candidate.ts'
import { releaseBlob } from '../writing/release-blobs.ts'

export function createScanningStore({ reader, writer }: Database): ScanningStore {
  return {
    async unscanned(afterBlob, limit) {
      const waitingIn = (table: 'application_files' | 'resumes') =>
        reader
          .selectFrom(
            reader
              .selectFrom(table)
              .select(['blob', 'size'])
              // A literal, as in the partial index of files to scan: SQLite uses such an index for nothing else.
              .where('scan', '=', sql.lit('unscanned'))
              .where('blob', '>', afterBlob)
              .orderBy('blob')
              .limit(limit)
              .as('page'),
          )
          .select(['blob', 'size'])
      const rows = await reader
        .selectFrom(waitingIn('application_files').union(waitingIn('resumes')).as('page'))
        .select(['blob', 'size'])
        .orderBy('blob')
        .limit(limit)
        .execute()
      return rows.map(({ blob, size }) => ({ blob: blob as string, size }))
    },

    resumesOf: blob =>
      reader
        .selectFrom('resumes')
        .select(['candidate_id as candidateId', 'id as resumeId', scanOf('resumes').as('scan')])
        .where('blob', '=', blob)
        .execute(),

    attachmentsOf: blob =>
      reader
        .selectFrom('application_files')
        .select(['advertiser_id as advertiserId', 'application_id as applicationId', 'type'])
        .select(scanOf('application_files').as('scan'))
        .where('blob', '=', blob)
        .execute(),

    recordResumeVerdict: (candidateId, resumeId, verdict, at) =>
      writer.transaction().execute(async trx => {
        // Like deleting a resume or applying with one, so that no transaction copies the state being replaced.
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
          .set({
            ...scanColumns(verdict),
            ...(verdict === 'infected' ? { blob: null, sha256: sha256OfNothing, size: 0 } : {}),
          })
          .where('candidate_id', '=', candidateId)
          .where('id', '=', resumeId)
          .execute()
        if (verdict === 'infected') await releaseBlob(trx, resume.blob, at)
        return true
      }),
  }
}
