import type { Kysely, Transaction } from 'kysely'
import type { Schema } from '../../platform/database/tables.ts'
import type { RemovedFactor } from '../../schema/writing/change-account.ts'
import { recordTombstones } from '../../schema/writing/record-tombstones.ts'

/** Call under the lock of the account, so that two first factors cannot be added concurrently. */
export async function hasFactor(trx: Transaction<Schema>, candidateId: string): Promise<boolean> {
  for (const table of ['totp_factors', 'passkeys'] as const) {
    const found = await trx
      .selectFrom(table)
      .select('candidate_id')
      .where('candidate_id', '=', candidateId)
      .limit(1)
      .executeTakeFirst()
    if (found !== undefined) return true
  }
  return false
}

/** The app, the passkeys and the links to providers of an account, newest first. The app has no name. */
export async function listFactors(
  db: Kysely<Schema>,
  candidateId: string,
): Promise<{ name: string | undefined; issuer?: string; createdAt: number }[]> {
  const apps = await db
    .selectFrom('totp_factors')
    .select('created_at as createdAt')
    .where('candidate_id', '=', candidateId)
    .execute()
  const passkeys = await db
    .selectFrom('passkeys')
    .select(['name', 'created_at as createdAt'])
    .where('candidate_id', '=', candidateId)
    .execute()
  const identities = await db
    .selectFrom('identities')
    .select(['issuer', 'linked_at as createdAt'])
    .where('candidate_id', '=', candidateId)
    .execute()
  const named = [...apps, ...identities].map(each => ({ name: undefined, ...each }))
  return [...named, ...passkeys].toSorted((a, b) => b.createdAt - a.createdAt)
}

/** When the mailbox last vouched for the account: by the sign-up, or by a link that set the password. */
export async function vouchedAt(db: Kysely<Schema>, candidateId: string): Promise<number> {
  const found = await db
    .selectFrom('candidates as candidate')
    .leftJoin('mailbox_passwords as mailbox', 'mailbox.candidate_id', 'candidate.id')
    .select(['candidate.created_at as createdAt', 'mailbox.set_at as setAt'])
    .where('candidate.id', '=', candidateId)
    .executeTakeFirst()
  return found?.setAt ?? found?.createdAt ?? 0
}

/** Whether a mailbox alone must not remove the person's factors: it would lead to the operator's pages. */
export async function isOperator(db: Kysely<Schema>, candidateId: string): Promise<boolean> {
  const found = await db
    .selectFrom('operators')
    .select('role')
    .where('candidate_id', '=', candidateId)
    .executeTakeFirst()
  return found !== undefined
}

/**
 * Removes factors that were added after a time, with the recovery codes since then, and with the last factor all codes.
 * Returns the kind of each.
 */
export async function removeYounger(
  trx: Transaction<Schema>,
  candidateId: string,
  than: number,
): Promise<RemovedFactor[]> {
  const apps = await trx
    .deleteFrom('totp_factors')
    .where('candidate_id', '=', candidateId)
    .where('created_at', '>', than)
    .returning('created_at')
    .execute()
  const passkeys = await trx
    .deleteFrom('passkeys')
    .where('candidate_id', '=', candidateId)
    .where('created_at', '>', than)
    .returning(['id', 'created_at'])
    .execute()
  const identities = await removeIdentities(trx, candidateId, than)
  const removed = [
    ...apps.map(() => 'totp' as const),
    ...passkeys.map(() => 'passkey' as const),
    ...identities.map(() => 'provider' as const),
  ]
  if (removed.length === 0) return removed
  const isLast = !(await hasFactor(trx, candidateId))
  const codes = await trx
    .deleteFrom('recovery_codes')
    .where('candidate_id', '=', candidateId)
    .$if(!isLast, query => query.where('created_at', '>', than))
    .returning('hash')
    .execute()
  await recordTombstones(
    trx,
    ...apps.map(row => ['totp', candidateId, row.created_at] as const),
    ...passkeys.map(row => ['passkey', candidateId, row.id, row.created_at] as const),
    ...codes.map(({ hash }) => ['recovery-code', candidateId, hash] as const),
  )
  return removed
}

/** Removes links to providers: all, or only links made after a time. */
export async function removeIdentities(trx: Transaction<Schema>, candidateId: string, than = -1) {
  const removed = await trx
    .deleteFrom('identities')
    .where('candidate_id', '=', candidateId)
    .where('linked_at', '>', than)
    .returning(['issuer', 'linked_at'])
    .execute()
  await recordTombstones(
    trx,
    ...removed.map(row => ['identity', candidateId, row.issuer, row.linked_at] as const),
  )
  return removed
}

/** Call before factors of an account are deleted (all, or one), so that no backup brings them back. */
export async function recordFactorTombstones(
  trx: Transaction<Schema>,
  candidateId: string,
  factor?: { kind: 'totp' } | { kind: 'passkey'; id: string },
): Promise<void> {
  const apps = trx.selectFrom('totp_factors').select('created_at').where('candidate_id', '=', candidateId)
  if (factor?.kind !== 'passkey')
    await recordTombstones(
      trx,
      ...(await apps.execute()).map(row => ['totp', candidateId, row.created_at] as const),
    )
  const passkeys = trx
    .selectFrom('passkeys')
    .select(['id', 'created_at'])
    .where('candidate_id', '=', candidateId)
    .$if(factor?.kind === 'passkey', query =>
      query.where('id', '=', factor?.kind === 'passkey' ? factor.id : ''),
    )
  if (factor?.kind !== 'totp')
    await recordTombstones(
      trx,
      ...(await passkeys.execute()).map(row => ['passkey', candidateId, row.id, row.created_at] as const),
    )
}

/** Call before recovery codes are replaced. */
export async function recordCodeTombstones(trx: Transaction<Schema>, candidateId: string): Promise<void> {
  const codes = await trx
    .selectFrom('recovery_codes')
    .select('hash')
    .where('candidate_id', '=', candidateId)
    .execute()
  await recordTombstones(trx, ...codes.map(({ hash }) => ['recovery-code', candidateId, hash] as const))
}
