import type { Kysely, Transaction } from 'kysely'
import { getMeta, putMeta } from '../../platform/database/meta.ts'
import type { Schema } from '../../platform/database/tables.ts'
import { removeUnconfirmed } from '../../schema/writing/change-account.ts'
import { addressMark } from '../../schema/writing/record-tombstones.ts'

const movedKey = 'moved_addresses'

/**
 * After a restore, an account may have a former address of its owner. `meta` has only a hash of the current address: a
 * person who enters that address gets the account. Until then the account has no address, because the former one may
 * now belong to a stranger, who must get no link and no notice.
 */
export async function releaseAddress(
  trx: Transaction<Schema>,
  candidateId: string,
  { changedAt, mark, now }: { changedAt: number; mark: string; now: number },
): Promise<boolean> {
  const account = await trx
    .selectFrom('candidates')
    .select(['email', 'email_confirmed_at'])
    .where('id', '=', candidateId)
    .executeTakeFirst()
  const since = account?.email_confirmed_at ?? changedAt
  // The address has changed again since, or was not set back.
  if (account === undefined || since >= changedAt || addressMark(candidateId, account.email) === mark)
    return false
  const moved = await readMoved(trx)
  if ((moved[candidateId]?.[0] ?? 0) >= changedAt) return false
  await writeMoved(trx, { ...moved, [candidateId]: [changedAt, mark] })
  await trx
    .updateTable('candidates')
    .set({
      email: `${candidateId}@moved.invalid`,
      mail_refused_at: now,
      mail_refusal: 'The address was changed after the backup was made.',
    })
    .where('id', '=', candidateId)
    .execute()
  return true
}

/**
 * Returns the address to the account that had changed to it, if any. Call before accounts are looked up or added by the
 * address. Removes an unconfirmed claim to the address, as a change of address does; does nothing while another account
 * has confirmed it.
 */
export async function adoptAddress(
  { reader, writer }: { reader: Kysely<Schema>; writer: Kysely<Schema> },
  email: string,
): Promise<void> {
  for (const [candidateId, [changedAt, mark]] of Object.entries(await readMoved(reader))) {
    if (addressMark(candidateId, email) !== mark) continue
    await writer.transaction().execute(async trx => {
      const { [candidateId]: own, ...others } = await readMoved(trx)
      if (own === undefined) return
      await removeUnconfirmed(trx, email)
      const other = await trx
        .selectFrom('candidates')
        .select('id')
        .where('email', '=', email)
        .executeTakeFirst()
      if (other !== undefined && other.id !== candidateId) return
      await writeMoved(trx, others)
      await trx
        .updateTable('candidates')
        .set({ email, email_confirmed_at: changedAt, mail_refused_at: null, mail_refusal: null })
        .where('id', '=', candidateId)
        .where('email', '=', `${candidateId}@moved.invalid`)
        .execute()
    })
  }
}

/** The time of each account's change of address, and the hash of the new address; only those lost in the last restore. */
type Moved = Record<string, [changedAt: number, mark: string]>

const readMoved = async (db: Kysely<Schema>): Promise<Moved> =>
  JSON.parse((await getMeta(db, movedKey)) ?? '{}')

const writeMoved = (trx: Transaction<Schema>, moved: Moved) => putMeta(trx, movedKey, JSON.stringify(moved))
