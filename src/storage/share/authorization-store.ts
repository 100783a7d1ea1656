import { type Kysely, type SelectQueryBuilder, sql, type Transaction } from 'kysely'
import { allCategories } from '../../model/categories.ts'
import type { AuthorizationStore, GrantKey } from '../../share/protocol/ports.ts'
import { scopes } from '../../share/protocol/scopes.ts'
import { findByKey } from '../database/find-by-key.ts'
import type { Database, Dialect, Schema } from '../database/tables.ts'
import { integer, text } from '../database/typed-values.ts'
import { bury } from '../writing/bury.ts'
import { lockLivingCandidate } from '../writing/lock-candidate.ts'
import { prepareFindContext } from './find-context.ts'
import { issueInStatement, issueTogether } from './issue-code.ts'
import { narrowGrant } from './narrow-grant.ts'
import { redeemInStep, redeemTogether, tokenColumns, tokenValues } from './redeem-code.ts'

export function createAuthorizationStore(database: Database): AuthorizationStore {
  const { writer, reader, dialect, step } = database
  const issueCode = dialect === 'postgres' ? issueTogether(writer) : issueInStatement(writer)
  const redeem = step === undefined ? redeemTogether(writer) : redeemInStep(writer, step)

  return {
    findContext: prepareFindContext(database),

    recordConsent: (key, decision, code) =>
      writer.transaction().execute(async trx => {
        // Locked like every addition to an account, so that the account is deleted either before or after this.
        await lockLivingCandidate(trx, key.candidateId)
        const { released, decidedAt } = decision
        const isNarrower = released !== allCategories && (await releasesMore(trx, key, released))
        const grantId = await decide(trx, key, decision)
        await narrowGrant(trx, grantId, released)
        if (isNarrower) await bury(trx, ['narrowing', grantId, decidedAt, released])
        await issueCode.within(trx, grantId, code)
      }),

    issueCode: issueCode.alone,

    findCode: findByKey(
      database,
      'hash',
      reader
        .selectFrom('oauth_codes')
        .select([
          'client_id as clientId',
          'redirect_uri as redirectUri',
          'scope',
          'challenge',
          'expires_at as expiresAt',
          'failed_attempts as failedAttempts',
          'redeemed_at as redeemedAt',
        ]),
    ),

    async countFailedAttempt(hash) {
      await writer
        .updateTable('oauth_codes')
        .set(eb => ({ failed_attempts: eb('failed_attempts', '+', 1) }))
        .where('hash', '=', hash)
        .execute()
    },

    redeem,

    async revokeTokensOfCode(codeHash, at) {
      await writer
        .updateTable('oauth_tokens')
        .set({ revoked_at: at })
        .where('hash', '=', eb =>
          eb.selectFrom('oauth_codes').select('token_hash').where('hash', '=', codeHash),
        )
        .where('revoked_at', 'is', null)
        .execute()
    },

    async issueClientToken(clientId, token, scope = '') {
      const result = await writer
        .insertInto('oauth_tokens')
        .columns([...tokenColumns, 'client_id', 'scope', 'released'])
        .expression(
          locked(dialect, enabledClient(writer, clientId)).select([
            ...tokenValues(token),
            'client.id as client_id',
            text(scope).as('scope'),
            integer(0).as('released'),
          ]),
        )
        .executeTakeFirst()
      return result.numInsertedOrUpdatedRows === 1n
    },

    async issueAgentToken(clientId, agentId, advertiserId, token) {
      const result = await writer
        .insertInto('oauth_tokens')
        .columns([
          ...tokenColumns,
          'client_id',
          'scope',
          'released',
          'advertiser_id',
          'agent_id',
          'agent_authorised_at',
        ])
        .expression(
          locked(dialect, enabledClient(writer, clientId), ['client'])
            .innerJoin('agent_authorisations as authorisation', join =>
              join
                .on('authorisation.agent_id', '=', agentId)
                .on('authorisation.advertiser_id', '=', advertiserId),
            )
            .innerJoin('advertisers as advertiser', 'advertiser.id', 'authorisation.advertiser_id')
            .where('advertiser.status', '=', 'active')
            .select([
              ...tokenValues(token),
              'client.id as client_id',
              text(scopes.applications).as('scope'),
              integer(0).as('released'),
              'authorisation.advertiser_id',
              'authorisation.agent_id',
              'authorisation.authorised_at',
            ]),
        )
        .executeTakeFirst()
      return result.numInsertedOrUpdatedRows === 1n
    },

    findToken: findByKey(
      database,
      'hash',
      reader
        .selectFrom('oauth_tokens')
        .select([
          'client_id as clientId',
          'scope',
          'grant_id as grantId',
          'candidate_id as candidateId',
          'released',
          'advertiser_id as advertiserId',
          'expires_at as expiresAt',
          'revoked_at as revokedAt',
        ]),
    ),

    async findAgentToken(hash) {
      const row = await reader
        .selectFrom('oauth_tokens as token')
        .innerJoin('advertisers as advertiser', 'advertiser.id', 'token.advertiser_id')
        .innerJoin('advertiser_ledger as ledger', 'ledger.advertiser_id', 'token.advertiser_id')
        .leftJoin('agent_authorisations as authorisation', join =>
          join
            .onRef('authorisation.advertiser_id', '=', 'token.advertiser_id')
            .onRef('authorisation.agent_id', '=', 'token.agent_id')
            .onRef('authorisation.authorised_at', '=', 'token.agent_authorised_at'),
        )
        .select([
          'token.client_id as clientId',
          'token.agent_id as agentId',
          'advertiser.id as advertiserId',
          'advertiser.status as status',
          'ledger.version',
          'ledger.event_number as eventNumber',
          'authorisation.authorised_at as authorisedAt',
          'token.expires_at as expiresAt',
          'token.revoked_at as revokedAt',
        ])
        .where('token.hash', '=', hash)
        .where('token.scope', '=', scopes.applications)
        .executeTakeFirst()
      if (row === undefined || row.agentId === null) return undefined
      const { status, authorisedAt, agentId, ...rest } = row
      return { ...rest, agentId, isOnHold: status === 'hold', isAuthorised: authorisedAt !== null }
    },

    async revokeToken(clientId, hash, at) {
      await writer
        .updateTable('oauth_tokens')
        .set({ revoked_at: at })
        .where('hash', '=', hash)
        .where('client_id', '=', clientId)
        .where('revoked_at', 'is', null)
        .execute()
    },
  }
}

/** Whether the current decision releases a category that a new one does not. */
async function releasesMore(
  trx: Transaction<Schema>,
  { candidateId, clientId, advertiserId }: GrantKey,
  released: number,
): Promise<boolean> {
  const wider = await trx
    .selectFrom('grants')
    .select('id')
    .where('candidate_id', '=', candidateId)
    .where('client_id', '=', clientId)
    .where(sql`coalesce(advertiser_id, 0)`, '=', advertiserId ?? 0)
    .where('withdrawn_at', 'is', null)
    .where(sql<number>`released & ~${integer(released)}`, '!=', 0)
    .executeTakeFirst()
  return wider !== undefined
}

/** Inserts a consent or replaces the decision of the current one; the unique index decides, even in a race. */
async function decide(
  trx: Transaction<Schema>,
  { candidateId, clientId, advertiserId }: GrantKey,
  decision: Parameters<AuthorizationStore['recordConsent']>[1],
): Promise<string> {
  const { scope, released, filled, decidedAt, resumeId = null } = decision
  const { id } = await trx
    .insertInto('grants')
    .values({
      id: decision.grantId,
      candidate_id: candidateId,
      client_id: clientId,
      advertiser_id: advertiserId,
      scope,
      released,
      filled,
      resume_id: resumeId,
      created_at: decidedAt,
      decided_at: decidedAt,
    })
    .onConflict(conflict =>
      conflict
        .expression(sql`candidate_id, client_id, coalesce(advertiser_id, 0)`)
        .where('withdrawn_at', 'is', null)
        .doUpdateSet({ scope, released, filled, resume_id: resumeId, decided_at: decidedAt }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

function enabledClient(db: Kysely<Schema>, clientId: string) {
  return db
    .selectFrom('oauth_clients as client')
    .where('client.id', '=', clientId)
    .where('client.disabled_at', 'is', null)
}

/**
 * Takes a share lock on the rows that a code or token depends on: a transaction that withdraws or disables them waits
 * until the code or token is committed and then revokes it with the others. SQLite has one writer and needs no lock.
 */
function locked<DB, TB extends keyof DB, O>(
  dialect: Dialect,
  query: SelectQueryBuilder<DB, TB, O>,
  tables?: Extract<TB, string>[],
): SelectQueryBuilder<DB, TB, O> {
  return dialect === 'postgres' ? query.forShare(tables) : query
}
