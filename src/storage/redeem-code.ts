import type { Kysely } from 'kysely'
import type { AuthorizationStore, CodeHolder, NewToken } from '../oauth/ports.ts'
import { prepareQuery, prepareStatement } from './prepared-query.ts'
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

/** What a token has from its code. */
const inheritedColumns = [
  'client_id',
  'scope',
  'grant_id',
  'candidate_id',
  'released',
  'advertiser_id',
] as const

type Redeem = AuthorizationStore['redeem']
type Values = CodeHolder & NewToken & { codeHash: string; maxFailedAttempts: number }

/** The code is this holder's, and it can still be redeemed. */
function redeemedBy(db: Kysely<Schema>, values: Values) {
  return db
    .updateTable('oauth_codes')
    .set({ redeemed_at: values.issuedAt, token_hash: values.hash })
    .where('hash', '=', values.codeHash)
    .where('redeemed_at', 'is', null)
    .where('expires_at', '>', values.issuedAt)
    .where('failed_attempts', '<', values.maxFailedAttempts)
    .where('client_id', '=', values.clientId)
    .where('redirect_uri', '=', values.redirectUri)
    .where(eb => eb.fn.coalesce('challenge', eb.val('')), '=', values.challenge)
    .returning(inheritedColumns)
}

/**
 * PostgreSQL: a conditional update that feeds the insert. Of many at once, one finds the row unredeemed; the
 * others wait for its lock, look again, and find nothing to do. What the token hangs on is locked before it.
 */
export function redeemInOneStatement(writer: Kysely<Schema>): Redeem {
  const redeem = prepareStatement(writer, (values: Values) =>
    writer
      .with('standing', db =>
        db
          .selectFrom('oauth_codes as code')
          .innerJoin('grants as consent', 'consent.id', 'code.grant_id')
          .innerJoin('oauth_clients as client', 'client.id', 'code.client_id')
          .where('code.hash', '=', values.codeHash)
          .where('consent.withdrawn_at', 'is', null)
          .where('client.disabled_at', 'is', null)
          .select('code.hash')
          .forShare(['consent', 'client']),
      )
      .with('redeemed', db =>
        redeemedBy(db as unknown as Kysely<Schema>, values).where('hash', 'in', eb =>
          (eb as unknown as typeof db).selectFrom('standing').select('standing.hash'),
        ),
      )
      .insertInto('oauth_tokens')
      .columns([...tokenColumns, ...inheritedColumns])
      .expression(eb => eb.selectFrom('redeemed').select([...tokenValues(values), ...inheritedColumns])),
  )
  return async (codeHash, holder, token, maxFailedAttempts) => {
    const { numAffectedRows } = await redeem({ codeHash, maxFailedAttempts, ...holder, ...token })
    return numAffectedRows === 1n
  }
}

/** SQLite: the transaction has the only write lock from its first statement on. */
export function redeemInTransaction(writer: Kysely<Schema>): Redeem {
  const redeem = prepareQuery(writer, (values: Values) =>
    redeemedBy(writer, values)
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
      ),
  )
  const insertToken = prepareStatement(writer, (token: Omit<Schema['oauth_tokens'], UnsetColumn>) =>
    writer.insertInto('oauth_tokens').values({
      hash: token.hash,
      issued_at: token.issued_at,
      expires_at: token.expires_at,
      client_id: token.client_id,
      scope: token.scope,
      grant_id: token.grant_id,
      candidate_id: token.candidate_id,
      released: token.released,
      advertiser_id: token.advertiser_id,
    }),
  )
  return (codeHash, holder, token, maxFailedAttempts) =>
    writer.transaction().execute(async trx => {
      const code = await redeem({ codeHash, maxFailedAttempts, ...holder, ...token }, trx)
      if (code === undefined) return false
      const { hash, issuedAt: issued_at, expiresAt: expires_at } = token
      await insertToken({ hash, issued_at, expires_at, ...code }, trx)
      return true
    })
}

type UnsetColumn = 'agent_id' | 'agent_authorised_at' | 'revoked_at'
