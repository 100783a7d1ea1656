import type { Transaction } from 'kysely'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { hashSecret } from '../../platform/core/secrets.ts'
import type { Schema } from '../../platform/database/tables.ts'
import type { NewDelivery } from '../../platform/work/delivery-ports.ts'
import { chainsRequiringFactor, chainsWithBoard } from './chains.ts'
import { recordTombstones } from './record-tombstones.ts'

/** An email has reached the address: its link was used. */
export const reachable = { mail_refused_at: null, mail_refusal: null }

/** Call before another password is set. */
export async function recordPasswordTombstone(trx: Transaction<Schema>, candidateId: string): Promise<void> {
  const account = await trx
    .selectFrom('candidates')
    .select('password_hash')
    .where('id', '=', candidateId)
    .executeTakeFirstOrThrow()
  await recordTombstones(trx, ['password', candidateId, hashSecret(account.password_hash)])
}

/** For acts that themselves prove the person: by the password, or by a link in an email. */
export async function recordOnAccount(
  trx: Transaction<Schema>,
  candidateId: string,
  act: { action: 'account.email' } | { action: 'account.password'; after: { way: string } },
  proof: 'password' | 'link',
): Promise<void> {
  const actor = { kind: 'person', id: candidateId, proof } as const
  const chains = await chainsWithBoard(trx, candidateId)
  await recordAudit(
    trx,
    ...chains.map(scope => ({ ...act, scope, target: `person:${candidateId}`, actor }) as const),
  )
}

/** A removed second factor, or a removed link to an OpenID provider. */
export type RemovedFactor = 'totp' | 'passkey' | 'provider'

/** Records factors removed by a link from the mailbox, on the chains of the board and of companies that require one. */
export async function recordRemovedFactors(
  trx: Transaction<Schema>,
  candidateId: string,
  removed: readonly RemovedFactor[],
): Promise<void> {
  const actor = { kind: 'person', id: candidateId, proof: 'link' } as const
  const chains = await chainsRequiringFactor(trx, candidateId)
  const removal = { action: 'factor.remove', target: `person:${candidateId}`, actor } as const
  await recordAudit(
    trx,
    ...removed.flatMap(kind => chains.map(scope => ({ ...removal, scope, before: { kind } }))),
  )
}

export async function removeLinks(trx: Transaction<Schema>, candidateId: string): Promise<void> {
  await trx.deleteFrom('account_links').where('candidate_id', '=', candidateId).execute()
  await removeCodes(trx, candidateId)
}

/** Ends the codes that wait for this person, wherever other sessions end. */
export async function removeCodes(trx: Transaction<Schema>, candidateId: string): Promise<void> {
  await trx
    .deleteFrom('email_codes')
    .where('email', '=', eb => eb.selectFrom('candidates').select('email').where('id', '=', candidateId))
    .execute()
}

/** Deletes an unconfirmed account, which only claims an address that another person has now confirmed. */
export async function removeUnconfirmed(trx: Transaction<Schema>, email: string): Promise<void> {
  const unconfirmed = trx
    .selectFrom('candidates')
    .select('id')
    .where('email', '=', email)
    .where('email_confirmed_at', 'is', null)
  await trx.deleteFrom('account_links').where('candidate_id', 'in', unconfirmed).execute()
  await trx.deleteFrom('candidates').where('id', 'in', unconfirmed).execute()
}

/** Two concurrent requests for one address do not see each other; the unique constraint rejects the second. */
export async function unlessTaken<T>(change: () => Promise<T>): Promise<T | undefined> {
  try {
    return await change()
  } catch (error) {
    if (['23503', '23505'].includes(String((error as { code?: unknown }).code))) return undefined
    throw error
  }
}

/**
 * Records a change that the email about it can undo, until no further attempt to send that email starts. Call in the
 * transaction of the change, which holds the account. `email`: the previous address, which gets the email; by default
 * the account's address.
 */
export async function recordChange(
  trx: Transaction<Schema>,
  mails: readonly NewDelivery[],
  change: { candidateId: string; kind: 'factor' | 'email' | 'password'; email?: string; at: EpochMs },
): Promise<void> {
  const { candidateId, kind, at } = change
  if (mails.length === 0) return
  const email = change.email ?? (await emailOf(trx, candidateId))
  const row = { candidate_id: candidateId, kind, email, changed_at: at }
  await trx
    .insertInto('undo_links')
    .values(mails.map(({ id, giveUpAt }) => ({ ...row, hash: id, change_id: id, expires_at: giveUpAt })))
    .execute()
}

export async function emailOf(trx: Transaction<Schema>, candidateId: string): Promise<string> {
  const account = await trx
    .selectFrom('candidates')
    .select('email')
    .where('id', '=', candidateId)
    .executeTakeFirstOrThrow()
  return account.email
}

/**
 * If the account returns to an address that it had a few days ago, the change is itself an undo: the address that it
 * leaves gets no link, and links sent there since then end. Otherwise an intruder could undo the owner's repair.
 */
export async function recordAddressChange(
  trx: Transaction<Schema>,
  mails: readonly NewDelivery[],
  { candidateId, former, email, at }: { candidateId: string; former: string; email: string; at: EpochMs },
): Promise<void> {
  const earlier = await trx
    .selectFrom('undo_links')
    .select('changed_at')
    .where('candidate_id', '=', candidateId)
    .where('kind', '=', 'email')
    .where('email', '=', email)
    .where('expires_at', '>', at)
    .orderBy('changed_at')
    .limit(1)
    .executeTakeFirst()
  if (earlier === undefined)
    return recordChange(trx, mails, { candidateId, kind: 'email', email: former, at })
  await trx
    .deleteFrom('undo_links')
    .where('candidate_id', '=', candidateId)
    .where('changed_at', '>=', earlier.changed_at)
    .where('email', '!=', email)
    .execute()
}
