import type { Kysely } from 'kysely'
import type { EpochMs } from '../../core/clock.ts'
import type { Spend } from '../../people/factors/ports.ts'
import type { Schema } from '../database/tables.ts'

/** Uses up a proof, so that it opens one thing only; false if it was used before. */
export async function spendFactor(
  trx: Kysely<Schema>,
  candidateId: string,
  spend: Spend,
  at: EpochMs,
): Promise<boolean> {
  if (spend.kind === 'recovery') {
    const removed = await trx
      .deleteFrom('recovery_codes')
      .where('candidate_id', '=', candidateId)
      .where('hash', '=', spend.hash)
      .executeTakeFirst()
    return removed.numDeletedRows === 1n
  }
  const advanced = await trx
    .updateTable('totp_factors')
    .set({ last_step: spend.step, last_used_at: at })
    .where('candidate_id', '=', candidateId)
    .where('last_step', '<', spend.step)
    .executeTakeFirst()
  return advanced.numUpdatedRows === 1n
}
