import type { Kysely, Transaction } from 'kysely'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Schema } from '../../platform/database/tables.ts'
import { recordTombstones } from '../../schema/writing/record-tombstones.ts'
import type { SignedChallenge, Spend } from './records.ts'

/** Uses up a proof, so that it opens one thing only; false if it was used before. */
export async function consumeFactor(
  trx: Transaction<Schema>,
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
    if (removed.numDeletedRows !== 1n) return false
    await recordTombstones(trx, ['recovery-code', candidateId, spend.hash])
    return true
  }
  if (spend.kind === 'passkey') {
    if (!(await spendChallenge(trx, spend.challenge))) return false
    // A lower count means a copy of the key. Devices that do not count send zero every time.
    const { counter } = spend
    const used = await trx
      .updateTable('passkeys')
      .set({ counter, last_used_at: at })
      .where('id', '=', spend.id)
      .where('candidate_id', '=', candidateId)
      .where('counter', counter === 0 ? '=' : '<', counter)
      .executeTakeFirst()
    return used.numUpdatedRows === 1n
  }
  const advanced = await trx
    .updateTable('totp_factors')
    .set({ last_step: spend.step, last_used_at: at })
    .where('candidate_id', '=', candidateId)
    .where('last_step', '<', spend.step)
    .executeTakeFirst()
  return advanced.numUpdatedRows === 1n
}

/** A used challenge means a submitted form: it is stored until it expires. */
export async function spendChallenge(
  trx: Kysely<Schema>,
  { hash, expiresAt }: SignedChallenge,
): Promise<boolean> {
  const added = await trx
    .insertInto('sent_forms')
    .values({ key: `passkey:${hash}`, location: '', expires_at: expiresAt })
    .onConflict(conflict => conflict.column('key').doNothing())
    .executeTakeFirst()
  return added.numInsertedOrUpdatedRows === 1n
}
