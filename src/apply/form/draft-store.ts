import type { Kysely, Transaction } from 'kysely'
import type { AnyFileType, ApplicationFile } from '../../model/application.ts'
import type { ReceivedFile } from '../../platform/blobs/stored-file.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { scanColumns, scanOf } from '../../schema/scan-columns.ts'
import { lockCandidate, lockLivingCandidate } from '../../schema/writing/lock-candidate.ts'
import { recordTombstones } from '../../schema/writing/record-tombstones.ts'
import { releaseBlobs } from '../../schema/writing/release-blobs.ts'
import { removeDrafts } from '../../schema/writing/remove-drafts.ts'
import { type Draft, DraftChanged } from './draft.ts'

export interface DraftToSave {
  id: string
  /** The version that the form was made from; 0: none. */
  version: number
  jobAdId: number
  jobTitle: string
  advertiserName: string
  /** JSON. */
  content: string
  /** Files by field; the draft's other files stay. */
  files: ReadonlyMap<string, ReceivedFile>
  /** Fields whose files are removed. */
  removed: readonly string[]
}

export type SavedDraft =
  | { kind: 'saved'; version: number; savedAt: EpochMs; isRepeated: boolean }
  /** The draft has since been saved from another page. */
  | { kind: 'newer' }
  /** The draft was discarded, or has expired. */
  | { kind: 'gone' }
  | { kind: 'sent'; applicationId: number }
  | { kind: 'too-many' }

export type DraftStore = ReturnType<typeof createDraftStore>

/** Every call of a person takes the candidate first, so no query can reach another candidate's data. */
export function createDraftStore({ reader, writer }: Database) {
  async function read(
    candidateId: string,
    { jobAdId, id }: { jobAdId?: number; id?: string } = {},
  ): Promise<Draft[]> {
    let query = reader
      .selectFrom('drafts')
      .select(['id', 'job_ad_id as jobAdId', 'job_title as jobTitle', 'advertiser_name as advertiserName'])
      .select(['content', 'version', 'saved_at as savedAt', 'expires_at as expiresAt'])
      .where('candidate_id', '=', candidateId)
    if (jobAdId !== undefined) query = query.where('job_ad_id', '=', jobAdId)
    if (id !== undefined) query = query.where('id', '=', id)
    const rows = await query.orderBy('saved_at', 'desc').orderBy('id').execute()
    if (rows.length === 0) return []
    const files = await readFiles(
      reader,
      rows.map(({ id }) => id),
    )
    return rows.map(({ content, ...row }) => ({
      ...row,
      content: JSON.parse(content),
      files: files.flatMap(({ draftId, ...file }) => (draftId === row.id ? [file] : [])),
    }))
  }

  return {
    /** Newest first. */
    list: (candidateId: string): Promise<Draft[]> => read(candidateId),

    async find(candidateId: string, jobAdId: number): Promise<Draft | undefined> {
      const [draft] = await read(candidateId, { jobAdId })
      return draft
    },

    async own(candidateId: string, id: string): Promise<Draft | undefined> {
      const [draft] = await read(candidateId, { id })
      return draft
    },

    /** Saves in one durable transaction, unless that would overwrite a save from another page. */
    save: (
      candidateId: string,
      draft: DraftToSave,
      { now, expiresAt, max }: { now: EpochMs; expiresAt: EpochMs; max: number },
    ): Promise<SavedDraft> =>
      writer.transaction().execute(async (trx): Promise<SavedDraft> => {
        // Serialises saves, sending and discarding.
        await lockLivingCandidate(trx, candidateId)
        const sent = await trx
          .selectFrom('own_applications')
          .select('application_id')
          .where('candidate_id', '=', candidateId)
          .where('form_key', '=', draft.id)
          .executeTakeFirst()
        if (sent !== undefined) return { kind: 'sent', applicationId: sent.application_id }
        const { id, jobAdId, content } = draft
        const stored = await trx
          .selectFrom('drafts')
          .select(['id', 'version', 'content', 'saved_at'])
          .where('candidate_id', '=', candidateId)
          .where('job_ad_id', '=', jobAdId)
          .executeTakeFirst()
        if (stored === undefined && draft.version > 0) return { kind: 'gone' }
        if (stored !== undefined && (stored.id !== id || stored.version !== draft.version)) {
          const isSame = stored.id === id && stored.content === content && (await hasFilesOf(trx, draft))
          return isSame
            ? { kind: 'saved', version: stored.version, savedAt: stored.saved_at, isRepeated: true }
            : { kind: 'newer' }
        }
        const version = draft.version + 1
        const written = {
          job_title: draft.jobTitle,
          advertiser_name: draft.advertiserName,
          content,
          version,
          saved_at: now,
          expires_at: expiresAt,
        }
        if (stored === undefined) {
          const { count } = await trx
            .selectFrom('drafts')
            .select(eb => eb.fn.countAll<number>().as('count'))
            .where('candidate_id', '=', candidateId)
            .executeTakeFirstOrThrow()
          if (Number(count) >= max) return { kind: 'too-many' }
          await trx
            .insertInto('drafts')
            .values({ id, candidate_id: candidateId, job_ad_id: jobAdId, ...written })
            .execute()
        } else {
          const changed = await trx
            .updateTable('drafts')
            .set(written)
            .where('id', '=', id)
            .where('candidate_id', '=', candidateId)
            .executeTakeFirst()
          // The draft had expired, and has been removed since.
          if (changed.numUpdatedRows === 0n) return { kind: 'gone' }
        }
        await replaceFiles(trx, draft, now)
        return { kind: 'saved', version, savedAt: now, isRepeated: false }
      }),

    /** Returns false if the candidate has no such draft. */
    discard: (candidateId: string, draftId: string, now: EpochMs): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        await lockCandidate(trx, candidateId)
        const removed = await removeDrafts(trx, { ids: [draftId], candidateId }, now)
        if (removed === 0) return false
        await recordTombstones(trx, ['draft', draftId, now])
        return true
      }),
  }
}

const readFiles = (db: Kysely<Schema>, draftIds: readonly string[]) =>
  db
    .selectFrom('draft_files')
    .select(['draft_id as draftId', 'field', 'file_name as fileName', 'content_type as contentType'])
    .select(['blob', 'sha256', 'size', 'uploaded_at as uploadedAt', scanOf('draft_files').as('scan')])
    .where('draft_id', 'in', draftIds)
    .orderBy('draft_id')
    .orderBy('field')
    .execute()

/** Whether these files, under any names, are already stored and the others removed: a double click sends them twice. */
async function hasFilesOf(trx: Transaction<Schema>, { id, files, removed }: DraftToSave): Promise<boolean> {
  const stored = new Map((await readFiles(trx, [id])).map(file => [file.field, file.sha256]))
  return (
    [...files].every(([field, { sha256 }]) => stored.get(field) === sha256) &&
    !removed.some(field => stored.has(field))
  )
}

async function replaceFiles(
  trx: Transaction<Schema>,
  { id, files, removed }: DraftToSave,
  now: EpochMs,
): Promise<void> {
  const replaced = [...files.keys(), ...removed]
  if (replaced.length === 0) return
  const old = await trx
    .deleteFrom('draft_files')
    .where('draft_id', '=', id)
    .where('field', 'in', replaced)
    .returning('blob')
    .execute()
  await releaseBlobs(trx, old, now)
  for (const [field, { fileName, contentType, blob, sha256, size, scan, uploadedAt }] of files) {
    const file = { file_name: fileName, content_type: contentType, blob, sha256, size }
    await trx
      .insertInto('draft_files')
      .values({ draft_id: id, field, ...file, ...scanColumns(scan), uploaded_at: uploadedAt })
      .execute()
  }
}

/**
 * Deletes the draft of a submitted form and returns its wanted files with their latest verdicts. Lock the candidate
 * first. Throws unless the draft has this version (0: no draft) and all of these files, uninfected.
 */
export async function takeDraft(
  trx: Transaction<Schema>,
  { candidateId, formKey }: { candidateId: string; formKey: string },
  { version, files: wanted }: { version: number; files: ReadonlyMap<string, AnyFileType> },
  now: EpochMs,
): Promise<ApplicationFile[]> {
  // Lock the draft before its files, as everywhere.
  const draft = await trx
    .updateTable('drafts')
    .set(eb => ({ version: eb.ref('version') }))
    .where('id', '=', formKey)
    .where('candidate_id', '=', candidateId)
    .returning('version')
    .executeTakeFirst()
  if ((draft?.version ?? 0) !== version) throw new DraftChanged()
  if (draft === undefined) return []
  // The last read of the verdicts: a later verdict finds the files with the application.
  const files = await trx
    .deleteFrom('draft_files')
    .where('draft_id', '=', formKey)
    .returning(['field', 'file_name as fileName', 'content_type as contentType', 'blob', 'sha256', 'size'])
    .returning(['uploaded_at as uploadedAt', scanOf('draft_files').as('scan')])
    .execute()
  await trx.deleteFrom('drafts').where('id', '=', formKey).where('candidate_id', '=', candidateId).execute()
  const taken = files.flatMap(({ field, ...file }) => {
    const type = wanted.get(field)
    return type === undefined || file.scan === 'infected' ? [] : [{ ...file, type }]
  })
  if (taken.length < wanted.size) throw new DraftChanged()
  const unused = files.filter(({ blob }) => !taken.some(file => file.blob === blob))
  await releaseBlobs(trx, unused, now)
  return taken
}
