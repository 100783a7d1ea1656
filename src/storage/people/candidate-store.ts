import { sql, type Transaction } from 'kysely'
import type { CandidateStore } from '../../people/profile/ports.ts'
import { findByKey } from '../database/find-by-key.ts'
import type { Database, Schema } from '../database/tables.ts'
import { bury } from '../writing/bury.ts'
import { lockCandidate, lockLivingCandidate } from '../writing/lock-candidate.ts'
import { releaseBlob } from '../writing/release-blobs.ts'
import { addResume } from './add-resume.ts'
import { candidateOf, profileOf, resumeColumns, resumeOf } from './candidate-rows.ts'

export function createCandidateStore(database: Database): CandidateStore {
  const { writer, reader } = database
  const find = findByKey(
    database,
    'candidate.id',
    reader
      .selectFrom('candidates as candidate')
      .leftJoin('resumes as resume', join =>
        join.onRef('resume.candidate_id', '=', 'candidate.id').on('resume.is_default', '=', sql.lit(1)),
      )
      .select([
        'candidate.email',
        'candidate.first_name',
        'candidate.last_name',
        'candidate.profile',
        'resume.id',
        'resume.file_name',
        'resume.content_type',
        'resume.blob',
        'resume.sha256',
        'resume.size',
        'resume.scan',
        'resume.not_judged',
        'resume.uploaded_at',
        'resume.is_default',
      ]),
  )

  return {
    async find(candidateId) {
      const row = await find(candidateId)
      return row && candidateOf(row)
    },

    changeProfile: (candidateId, change) =>
      writer.transaction().execute(async trx => {
        if (!(await lockCandidate(trx, candidateId))) return undefined
        const stored = await trx
          .selectFrom('candidates')
          .select(['first_name', 'last_name', 'profile'])
          .where('id', '=', candidateId)
          .executeTakeFirstOrThrow()
        const result = change({
          firstName: stored.first_name,
          lastName: stored.last_name,
          profile: profileOf(stored.profile),
        })
        if (result.next === undefined) return result
        const { firstName, lastName, profile } = result.next
        await trx
          .updateTable('candidates')
          .set({ first_name: firstName, last_name: lastName, profile: JSON.stringify(profile) })
          .where('id', '=', candidateId)
          .execute()
        return result
      }),

    async listResumes(candidateId) {
      const rows = await reader
        .selectFrom('resumes')
        .select(resumeColumns)
        .where('candidate_id', '=', candidateId)
        .orderBy('uploaded_at', 'desc')
        .orderBy('id', 'desc')
        .execute()
      return rows.map(resumeOf)
    },

    async findResume(candidateId, resumeId) {
      const row = await reader
        .selectFrom('resumes')
        .select(resumeColumns)
        .where('candidate_id', '=', candidateId)
        .where('id', '=', resumeId)
        .executeTakeFirst()
      return row && resumeOf(row)
    },

    addResume: (candidateId, resume, max) =>
      writer.transaction().execute(async trx => {
        await lockLivingCandidate(trx, candidateId)
        return addResume(trx, candidateId, resume, max)
      }),

    chooseDefault: (candidateId, resumeId) =>
      writer.transaction().execute(async trx => {
        await lockCandidate(trx, candidateId)
        const chosen = await trx
          .selectFrom('resumes')
          .select('id')
          .where('candidate_id', '=', candidateId)
          .where('id', '=', resumeId)
          .executeTakeFirst()
        if (chosen === undefined) return false
        await moveDefault(trx, candidateId, resumeId)
        return true
      }),

    removeResume: (candidateId, resumeId, at) =>
      writer.transaction().execute(async trx => {
        await lockCandidate(trx, candidateId)
        const removed = await trx
          .deleteFrom('resumes')
          .where('candidate_id', '=', candidateId)
          .where('id', '=', resumeId)
          .returning(['is_default', 'blob'])
          .executeTakeFirst()
        if (removed === undefined) return false
        await releaseBlob(trx, removed.blob, at)
        await bury(trx, ['resume', candidateId, resumeId])
        if (removed.is_default === 1) {
          const newest = await trx
            .selectFrom('resumes')
            .select('id')
            .where('candidate_id', '=', candidateId)
            .orderBy('uploaded_at', 'desc')
            .orderBy('id', 'desc')
            .limit(1)
            .executeTakeFirst()
          if (newest !== undefined) await moveDefault(trx, candidateId, newest.id)
        }
        return true
      }),
  }
}

/** Clears the old default first, because the unique index allows one. */
async function moveDefault(trx: Transaction<Schema>, candidateId: string, resumeId: string): Promise<void> {
  await trx
    .updateTable('resumes')
    .set({ is_default: 0 })
    .where('candidate_id', '=', candidateId)
    .where('is_default', '=', sql.lit(1))
    .execute()
  await trx
    .updateTable('resumes')
    .set({ is_default: 1 })
    .where('candidate_id', '=', candidateId)
    .where('id', '=', resumeId)
    .execute()
}
