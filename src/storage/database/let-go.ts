import type { Transaction } from 'kysely'
import type { EpochMs } from '../../core/clock.ts'
import type { Schema } from './tables.ts'

/** In the transaction that drops the last or any other reference: the clean-up looks whether there is another. */
export async function letGo(trx: Transaction<Schema>, blob: string | null, at: EpochMs): Promise<void> {
  if (blob === null) return
  await trx
    .insertInto('loose_blobs')
    .values({ blob, since: at })
    // Always a change, and a lock: whoever is about to strike it off sees that it was let go of once more.
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

/** Several at once, always in the same order: two who let go of the same ones do not wait for each other. */
export async function letGoOfAll(
  trx: Transaction<Schema>,
  files: readonly { blob: string | null }[],
  at: EpochMs,
): Promise<void> {
  const blobs = new Set(files.flatMap(({ blob }) => blob ?? []))
  for (const blob of [...blobs].toSorted()) await letGo(trx, blob, at)
}
