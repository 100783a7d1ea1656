import { sql, type Transaction } from 'kysely'
import type { Candidate, Resume } from '../../model/candidate.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { findByKey } from '../../platform/database/find-by-key.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { candidateOf, profileOf, resumeColumns, resumeOf } from '../../schema/candidate-rows.ts'
import { addResume } from '../../schema/writing/add-resume.ts'
import { lockCandidate, lockLivingCandidate } from '../../schema/writing/lock-candidate.ts'
import { recordTombstones } from '../../schema/writing/record-tombstones.ts'
import { releaseBlob } from '../../schema/writing/release-blobs.ts'
import type { NamedProfile } from './form.ts'

export type CandidateStore = ReturnType<typeof createCandidateStore>

/** Every call takes the candidate first, so that no query can reach another candidate's data. */
export function createCandidateStore(database: Database) {
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
    /** Includes the default resume, in one query. */
    async find(candidateId: string): Promise<Candidate | undefined> {
      const row = await find(candidateId)
      return row && candidateOf(row)
    },

    /**
     * Stores the profile that `change` returns, if any, and returns the result. Serialised per candidate, so that
     * concurrent changes do not undo each other. Undefined if there is no such candidate.
     */
    changeProfile: <Result extends { next?: NamedProfile }>(
      candidateId: string,
      change: (stored: NamedProfile) => Result,
    ): Promise<Result | undefined> =>
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

    /** Newest first. */
    async listResumes(candidateId: string): Promise<Resume[]> {
      const rows = await reader
        .selectFrom('resumes')
        .select(resumeColumns)
        .where('candidate_id', '=', candidateId)
        .orderBy('uploaded_at', 'desc')
        .orderBy('id', 'desc')
        .execute()
      return rows.map(resumeOf)
    },

    async findResume(candidateId: string, resumeId: string): Promise<Resume | undefined> {
      const row = await reader
        .selectFrom('resumes')
        .select(resumeColumns)
        .where('candidate_id', '=', candidateId)
        .where('id', '=', resumeId)
        .executeTakeFirst()
      return row && resumeOf(row)
    },

    /** The first becomes the default. Returns false if there are already `max`. */
    addResume: (candidateId: string, resume: Omit<Resume, 'isDefault'>, max: number): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        await lockLivingCandidate(trx, candidateId)
        return addResume(trx, candidateId, resume, max)
      }),

    /** Returns false if there is no such resume. */
    chooseDefault: (candidateId: string, resumeId: string): Promise<boolean> =>
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

    /**
     * When the default is removed, the newest remaining resume becomes the default. Returns false if there is no such
     * resume.
     */
    removeResume: (candidateId: string, resumeId: string, at: EpochMs): Promise<boolean> =>
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
        await recordTombstones(trx, ['resume', candidateId, resumeId])
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
