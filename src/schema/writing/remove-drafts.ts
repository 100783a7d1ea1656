import type { Transaction } from 'kysely'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Schema } from '../../platform/database/tables.ts'
import { releaseBlobs } from './release-blobs.ts'

/** Removes drafts with their files: of this candidate, or of all. Returns how many. */
export async function removeDrafts(
  trx: Transaction<Schema>,
  {
    ids,
    candidateId,
    savedUntil,
  }:
    | { ids: readonly string[]; candidateId?: string; savedUntil?: EpochMs }
    | { ids?: never; candidateId: string; savedUntil?: never },
  now: EpochMs,
): Promise<number> {
  // Lock drafts before their files, as everywhere.
  const drafts = await trx
    .updateTable('drafts')
    .set(eb => ({ version: eb.ref('version') }))
    .$if(ids !== undefined, query => query.where('id', 'in', ids ?? []))
    .$if(candidateId !== undefined, query => query.where('candidate_id', '=', candidateId ?? ''))
    .$if(savedUntil !== undefined, query => query.where('saved_at', '<=', savedUntil ?? 0))
    .returning('id')
    .execute()
  if (drafts.length === 0) return 0
  const held = drafts.map(({ id }) => id)
  const files = await trx.deleteFrom('draft_files').where('draft_id', 'in', held).returning('blob').execute()
  await trx
    .deleteFrom('drafts')
    .where('id', 'in', held)
    .$if(candidateId !== undefined, query => query.where('candidate_id', '=', candidateId ?? ''))
    .execute()
  await releaseBlobs(trx, files, now)
  return drafts.length
}
