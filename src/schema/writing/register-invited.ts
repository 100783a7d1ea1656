import type { Transaction } from 'kysely'
import type { Schema } from '../../platform/database/tables.ts'

/**
 * Creates the account of an invited person, whose link has confirmed the address. An unconfirmed account only claims
 * the address, so all of it is replaced. Undefined if the address has a confirmed account.
 */
export async function registerInvited(
  trx: Transaction<Schema>,
  email: string,
  account: {
    candidateId: string
    passwordHash: string
    firstName: string
    lastName: string
    profile: string
  },
  now: number,
): Promise<string | undefined> {
  const registration = {
    email_confirmed_at: now,
    password_hash: account.passwordHash,
    first_name: account.firstName,
    last_name: account.lastName,
    profile: account.profile,
  }
  const made = await trx
    .insertInto('candidates')
    .values({ ...registration, id: account.candidateId, email, created_at: now })
    .onConflict(conflict =>
      conflict.column('email').doUpdateSet(registration).where('candidates.email_confirmed_at', 'is', null),
    )
    .returning('id')
    .executeTakeFirst()
  if (made !== undefined) await trx.deleteFrom('account_links').where('candidate_id', '=', made.id).execute()
  return made?.id
}
