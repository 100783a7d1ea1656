import type { Transaction } from 'kysely'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Schema } from '../../platform/database/tables.ts'

/**
 * Marks a blob as possibly unused. Call in the transaction that drops a reference; the clean-up checks for other
 * references.
 */
export async function releaseBlob(trx: Transaction<Schema>, blob: string | null, at: EpochMs): Promise<void> {
  if (blob === null) return
  await trx
    .insertInto('loose_blobs')
    .values({ blob, since: at })
    // Always updates, and so locks, the row: a clean-up that is about to remove it sees the new release.
    .onConflict(conflict =>
      conflict.column('blob').doUpdateSet(eb => ({
        since: eb
          .case()
          .when('loose_blobs.since', '<', at)
          .then(eb.val(at))
          .else(eb('loose_blobs.since', '+', 1))
          .end(),
      })),
    )
    .execute()
}

/** Releases several, always in the same order, so that two transactions with the same blobs cannot deadlock. */
export async function releaseBlobs(
  trx: Transaction<Schema>,
  files: readonly { blob: string | null }[],
  at: EpochMs,
): Promise<void> {
  const blobs = new Set(files.flatMap(({ blob }) => blob ?? []))
  for (const blob of [...blobs].toSorted()) await releaseBlob(trx, blob, at)
}
