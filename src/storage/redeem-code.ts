import type { Kysely } from 'kysely'
import type { AuthorizationStore, NewToken } from '../oauth/ports.ts'
import type { Schema } from './schema.ts'
import { integer, text } from './typed-values.ts'

export const tokenColumns = ['hash', 'issued_at', 'expires_at'] as const

export function tokenValues({ hash, issuedAt, expiresAt }: NewToken) {
  return [
    text(hash).as('hash'),
    integer(issuedAt).as('issued_at'),
    integer(expiresAt).as('expires_at'),
  ] as const
}

const redeemedColumns = [
  'hash as code_hash',
  'client_id',
  'scope',
  'grant_id',
  'candidate_id',
  'released',
  'advertiser_id',
] as const
const inheritedColumns = [
  'code_hash',
  'client_id',
  'scope',
  'grant_id',
  'candidate_id',
  'released',
  'advertiser_id',
] as const

type Redeem = AuthorizationStore['redeem']

/**
 * PostgreSQL: a conditional update that feeds the insert. Of many at once, one finds the row unredeemed; the
 * others wait for its lock, look again, and find nothing to do.
 */
export function redeemInOneStatement(writer: Kysely<Schema>): Redeem {
  return async (codeHash, token, maxFailedAttempts) => {
    const result = await writer
      .with('standing', db =>
        db
          .selectFrom('oauth_codes as code')
          .innerJoin('grants as consent', 'consent.id', 'code.grant_id')
          .innerJoin('oauth_clients as client', 'client.id', 'code.client_id')
          .where('code.hash', '=', codeHash)
          .where('consent.withdrawn_at', 'is', null)
          .where('client.disabled_at', 'is', null)
          .select('code.hash')
          .forShare(['consent', 'client']),
      )
      .with('redeemed', db =>
        db
          .updateTable('oauth_codes')
          .set({ redeemed_at: token.issuedAt })
          .where('hash', 'in', eb => eb.selectFrom('standing').select('standing.hash'))
          .where('redeemed_at', 'is', null)
          .where('expires_at', '>', token.issuedAt)
          .where('failed_attempts', '<', maxFailedAttempts)
          .returning(redeemedColumns),
      )
      .insertInto('oauth_tokens')
      .columns([...tokenColumns, ...inheritedColumns])
      .expression(eb => eb.selectFrom('redeemed').select([...tokenValues(token), ...inheritedColumns]))
      .executeTakeFirst()
    return result.numInsertedOrUpdatedRows === 1n
  }
}

/** SQLite: the transaction has the only write lock from its first statement on. */
export function redeemInTransaction(writer: Kysely<Schema>): Redeem {
  return (codeHash, token, maxFailedAttempts) =>
    writer.transaction().execute(async trx => {
      const code = await trx
        .updateTable('oauth_codes')
        .set({ redeemed_at: token.issuedAt })
        .where('hash', '=', codeHash)
        .where('redeemed_at', 'is', null)
        .where('expires_at', '>', token.issuedAt)
        .where('failed_attempts', '<', maxFailedAttempts)
        // Correlated: for "in (select ...)" SQLite would first make a list of every consent there is.
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('grants')
              .select('grants.id')
              .whereRef('grants.id', '=', 'oauth_codes.grant_id')
              .where('grants.withdrawn_at', 'is', null),
          ),
        )
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('oauth_clients')
              .select('oauth_clients.id')
              .whereRef('oauth_clients.id', '=', 'oauth_codes.client_id')
              .where('oauth_clients.disabled_at', 'is', null),
          ),
        )
        .returning(redeemedColumns)
        .executeTakeFirst()
      if (code === undefined) return false
      const { hash, issuedAt: issued_at, expiresAt: expires_at } = token
      await trx
        .insertInto('oauth_tokens')
        .values({ hash, issued_at, expires_at, ...code })
        .execute()
      return true
    })
}
