import type { Transaction } from 'kysely'
import type { Resume } from '../../model/candidate.ts'
import type { Schema } from '../../platform/database/tables.ts'
import { scanColumns } from '../scan-columns.ts'

/** Call with the candidate locked. The first resume becomes the default; false if there are already `max`. */
export async function addResume(
  trx: Transaction<Schema>,
  candidateId: string,
  resume: Omit<Resume, 'isDefault'>,
  max: number,
): Promise<boolean> {
  const { count, defaults } = await trx
    .selectFrom('resumes')
    .select(eb => [
      eb.fn.countAll<number>().as('count'),
      eb.fn.coalesce(eb.fn.sum<number>('is_default'), eb.val(0)).as('defaults'),
    ])
    .where('candidate_id', '=', candidateId)
    .executeTakeFirstOrThrow()
  if (Number(count) >= max) return false
  await trx
    .insertInto('resumes')
    .values({
      id: resume.id,
      candidate_id: candidateId,
      file_name: resume.fileName,
      content_type: resume.contentType,
      blob: resume.blob,
      sha256: resume.sha256,
      size: resume.size,
      ...scanColumns(resume.scan),
      uploaded_at: resume.uploadedAt,
      is_default: Number(defaults) === 0 ? 1 : 0,
    })
    .execute()
  return true
}
