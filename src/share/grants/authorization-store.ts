import { type Kysely, type SelectQueryBuilder, sql, type Transaction } from 'kysely'
import { allCategories } from '../../model/categories.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { findByKey } from '../../platform/database/find-by-key.ts'
import type { Database, Dialect, Schema } from '../../platform/database/tables.ts'
import { integer, text } from '../../platform/database/typed-values.ts'
import { lockLivingCandidate } from '../../schema/writing/lock-candidate.ts'
import type { AgentTokenRecord, Grant, GrantKey, NewCode, NewToken } from '../protocol/records.ts'
import { advertiserScopes } from '../protocol/scopes.ts'
import { prepareFindContext } from './find-context-store.ts'
import { issueInStatement, issueTogether } from './issue-code-store.ts'
import { narrowGrant, recordNarrowing } from './narrow-grant-store.ts'
import { redeemInStep, redeemTogether, tokenColumns, tokenValues } from './redeem-code-store.ts'

export type AuthorizationStore = ReturnType<typeof createAuthorizationStore>

/** Each method is one statement or one transaction, so its guarantees hold under concurrency. */
export function createAuthorizationStore(database: Database) {
  const { writer, reader, dialect, step, hints } = database
  const issueCode = dialect === 'postgres' ? issueTogether(writer) : issueInStatement(writer)
  const redeem = step === undefined ? redeemTogether(writer) : redeemInStep(writer, step)

  return {
    findContext: prepareFindContext(database),

    /**
     * Replaces the current decision and issues a code for the new one. Categories that are no longer released are
     * removed from existing codes and tokens; if the resume is among them, its identifiers are deleted. Returns false,
     * and records nothing, if the advertiser does not authorise the client's agent.
     */
    async recordConsent(
      key: GrantKey,
      decision: Omit<Grant, 'id' | 'resumeId'> & { grantId: string; resumeId?: string | null },
      code: NewCode,
    ): Promise<boolean> {
      const events = await writer.transaction().execute(async trx => {
        // Locked like every addition to an account, so that the account is deleted either before or after this.
        await lockLivingCandidate(trx, key.candidateId)
        if (!(await lockAuthorisation(trx, dialect, key))) return undefined
        const { released, decidedAt } = decision
        const removed = released === allCategories ? 0 : await removedBy(trx, dialect, key, released)
        const grantId = await decide(trx, key, decision)
        await narrowGrant(trx, grantId, released)
        if (!(await issueCode.within(trx, grantId, code))) return undefined
        const { candidateId } = key
        return recordNarrowing(trx, { candidateId, grantId, decidedAt, released }, removed, decidedAt)
      })
      for (const { clientId, type } of events ?? []) hints?.changed({ clientId }, [type])
      return events !== undefined
    },

    /** Issues a code for a consent; returns false if it has been withdrawn. */
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

    /** A failed attempt neither burns the code nor revokes tokens; too many of them make the code unusable. */
    async countFailedAttempt(hash: string): Promise<void> {
      await writer
        .updateTable('oauth_codes')
        .set(eb => ({ failed_attempts: eb('failed_attempts', '+', 1) }))
        .where('hash', '=', hash)
        .execute()
    },

    /**
     * Burns the code and issues its token in one atomic step. Returns false unless the code belongs to this holder, is
     * unredeemed, has not expired and has few enough failed attempts, its consent is not withdrawn, its client is not
     * disabled, and the secret is one of the client's.
     */
    redeem,

    /** Revokes exactly the tokens issued for this code. */
    async revokeTokensOfCode(codeHash: string, at: EpochMs): Promise<void> {
      await writer
        .updateTable('oauth_tokens')
        .set({ revoked_at: at })
        .where('hash', '=', eb =>
          eb.selectFrom('oauth_codes').select('token_hash').where('hash', '=', codeHash),
        )
        .where('revoked_at', 'is', null)
        .execute()
    },

    /** Returns false if the client is disabled. */
    async issueClientToken(
      clientId: string,
      token: NewToken,
      scope: '' | 'w_applications' | 'm_webhooks' = '',
    ): Promise<boolean> {
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

    /** Returns false unless the advertiser is active and authorises the agent, and the client is enabled. */
    async issueAgentToken(
      clientId: string,
      agentId: number,
      advertiserId: number,
      granted: readonly (typeof advertiserScopes)[number][],
      token: NewToken,
    ): Promise<boolean> {
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
              text(granted.join(' ')).as('scope'),
              integer(0).as('released'),
              'authorisation.advertiser_id',
              'authorisation.agent_id',
              'authorisation.authorised_at',
            ]),
        )
        .executeTakeFirst()
      return result.numInsertedOrUpdatedRows === 1n
    },

    /** One indexed read. */
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

    async findAgentToken(hash: string): Promise<AgentTokenRecord | undefined> {
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
          'token.scope',
          'token.agent_id as agentId',
          'advertiser.id as advertiserId',
          'advertiser.status as status',
          'ledger.version',
          'ledger.event_number as eventNumber',
          'authorisation.authorised_at as authorisedAt',
          'authorisation.progress_granted_at as progressGrantedAt',
          'token.expires_at as expiresAt',
          'token.revoked_at as revokedAt',
        ])
        .where('token.hash', '=', hash)
        .where('token.scope', 'in', [...advertiserScopes, advertiserScopes.join(' ')])
        .executeTakeFirst()
      if (row === undefined || row.agentId === null) return undefined
      const { status, authorisedAt, agentId, ...rest } = row
      return { ...rest, agentId, isOnHold: status === 'hold', isAuthorised: authorisedAt !== null }
    },

    async revokeToken(clientId: string, hash: string, at: EpochMs): Promise<void> {
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

/**
 * Returns false if the advertiser does not authorise the client's agent. The share lock makes a withdrawal of the
 * authorisation wait for the consent, which the withdrawal then ends.
 */
async function lockAuthorisation(
  trx: Transaction<Schema>,
  dialect: Dialect,
  { clientId, advertiserId }: GrantKey,
): Promise<boolean> {
  if (advertiserId === null) return true
  const client = await trx
    .selectFrom('oauth_clients')
    .select('agent_id')
    .where('id', '=', clientId)
    .executeTakeFirst()
  if (client?.agent_id == null) return true
  const authorisation = trx
    .selectFrom('agent_authorisations')
    .select('agent_id')
    .where('advertiser_id', '=', advertiserId)
    .where('agent_id', '=', client.agent_id)
  return (await locked(dialect, authorisation).executeTakeFirst()) !== undefined
}

/** Categories released by the current decision and not by a new one. */
async function removedBy(
  trx: Transaction<Schema>,
  dialect: Dialect,
  { candidateId, clientId, advertiserId }: GrantKey,
  released: number,
): Promise<number> {
  const current = await trx
    .selectFrom('grants')
    .select('released')
    .where('candidate_id', '=', candidateId)
    .where('client_id', '=', clientId)
    .where(sql`coalesce(advertiser_id, 0)`, '=', advertiserId ?? 0)
    .where('withdrawn_at', 'is', null)
    .$if(dialect === 'postgres', query => query.forNoKeyUpdate())
    .executeTakeFirst()
  return (current?.released ?? 0) & ~released
}

/** Inserts a consent or replaces the decision of the current one; the unique index prevents duplicates, even in a race. */
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
 * until the code or token is committed and then revokes it too. SQLite has one writer and needs no lock.
 */
function locked<DB, TB extends keyof DB, O>(
  dialect: Dialect,
  query: SelectQueryBuilder<DB, TB, O>,
  tables?: Extract<TB, string>[],
): SelectQueryBuilder<DB, TB, O> {
  return dialect === 'postgres' ? query.forShare(tables) : query
}
