import { type Kysely, sql, type Transaction } from 'kysely'
import { batchLookups } from '../../platform/database/batch-lookups.ts'
import { prepareStatement } from '../../platform/database/prepared-query.ts'
import type { Schema } from '../../platform/database/tables.ts'
import { integer, text } from '../../platform/database/typed-values.ts'
import type { NewCode } from '../protocol/records.ts'

/** Issues a code for a consent that is in force, in its own commit or within a transaction. */
interface IssueCode {
  alone(grantId: string, code: NewCode): Promise<boolean>
  within(trx: Transaction<Schema>, grantId: string, code: NewCode): Promise<boolean>
}

type Values = NewCode & { grantId: string }
/** The values of a batch, one array per column. */
type Columns = { [Name in keyof Values]: Values[Name][] }

/** The shown categories that the candidate released; a category that was empty then was not shown. */
const released = sql<number>`released & filled`

export function issueInStatement(writer: Kysely<Schema>): IssueCode {
  const insert = prepareStatement(writer, (code: Values) =>
    writer
      .insertInto('oauth_codes')
      .columns([
        'hash',
        'client_id',
        'grant_id',
        'candidate_id',
        'advertiser_id',
        'redirect_uri',
        'scope',
        'released',
        'challenge',
        'issued_at',
        'expires_at',
        'failed_attempts',
      ])
      .expression(
        writer
          .selectFrom('grants')
          .where('id', '=', code.grantId)
          .where('withdrawn_at', 'is', null)
          .select([
            text(code.hash).as('hash'),
            'client_id',
            'id',
            'candidate_id',
            'advertiser_id',
            text(code.redirectUri).as('redirect_uri'),
            text(code.scope).as('scope'),
            released.as('released'),
            text(code.challenge).as('challenge'),
            integer(code.issuedAt).as('issued_at'),
            integer(code.expiresAt).as('expires_at'),
            integer(0).as('failed_attempts'),
          ]),
      ),
  )
  const issue = async (grantId: string, code: NewCode, on?: Kysely<Schema>) =>
    (await insert({ grantId, ...code }, on)).numAffectedRows === 1n
  return {
    alone: (grantId, code) => issue(grantId, code),
    within: (trx, grantId, code) => issue(grantId, code, trx),
  }
}

/**
 * PostgreSQL: one statement issues the codes of concurrent requests, for a quarter of the CPU time (decision 036).
 *
 * No code outlives a withdrawal. The statement takes a share lock on each consent, and a withdrawal updates that row.
 * So either the withdrawal commits first and the statement, which rechecks the row after the wait, issues nothing; or
 * the withdrawal waits for the statement and then expires its code with the others.
 *
 * There is no deadlock. A batch locks consents in the order of their IDs, and every other writer that locks several
 * consents uses the same order, so no two wait for each other.
 */
export function issueTogether(writer: Kysely<Schema>): IssueCode {
  const insert = prepareStatement(writer, (all: Columns) => ({
    compile: () =>
      sql<{ hash: string }>`insert into oauth_codes (hash, client_id, grant_id, candidate_id, advertiser_id,
          redirect_uri, scope, released, challenge, issued_at, expires_at, failed_attempts)
        select asked.hash, consent.client_id, consent.id, consent.candidate_id, consent.advertiser_id,
          asked.redirect_uri, asked.scope, ${released}, asked.challenge, asked.issued_at, asked.expires_at, 0
        from unnest(${all.grantId}::text[], ${all.hash}::text[], ${all.redirectUri}::text[], ${all.scope}::text[],
            ${all.challenge}::text[], ${all.issuedAt}::bigint[], ${all.expiresAt}::bigint[])
          as asked (grant_id, hash, redirect_uri, scope, challenge, issued_at, expires_at)
        join grants as consent on consent.id = asked.grant_id and consent.withdrawn_at is null
        order by consent.id
        for share of consent
        returning hash`.compile(writer),
  }))
  const issueAll = async (asked: Values[], on?: Kysely<Schema>): Promise<boolean[]> => {
    const columns = {
      grantId: asked.map(({ grantId }) => grantId),
      hash: asked.map(({ hash }) => hash),
      redirectUri: asked.map(({ redirectUri }) => redirectUri),
      scope: asked.map(({ scope }) => scope),
      challenge: asked.map(({ challenge }) => challenge),
      issuedAt: asked.map(({ issuedAt }) => issuedAt),
      expiresAt: asked.map(({ expiresAt }) => expiresAt),
    }
    const issued = new Set((await insert(columns, on)).rows.map(({ hash }) => hash))
    return asked.map(({ hash }) => issued.has(hash))
  }
  const issueOne = batchLookups((asked: Values[]) => issueAll(asked))
  return {
    alone: (grantId, code) => issueOne({ grantId, ...code }),
    within: async (trx, grantId, code) => (await issueAll([{ grantId, ...code }], trx))[0] === true,
  }
}
