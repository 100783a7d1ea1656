import type { Kysely } from 'kysely'
import type { AuditTarget } from '../../platform/audit/acts.ts'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { Actor } from '../../platform/core/async/audit-context.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type {
  FactorKind,
  ProofKind,
  ProviderProof,
  SessionOwner,
  SessionProof,
  StoredProof,
} from '../../platform/core/session-owner.ts'
import { findByKey } from '../../platform/database/find-by-key.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import type { NewDelivery } from '../../platform/work/delivery-ports.ts'
import { queueDeliveries } from '../../platform/work/queue-deliveries-store.ts'
import { chainsOf } from '../../schema/writing/chains.ts'
import { removeCodes } from '../../schema/writing/change-account.ts'
import { consumeFactor } from '../factors/consume-factor-store.ts'
import type { Spend } from '../factors/records.ts'
import { useIdentity } from '../identities/identity-store.ts'
import type { Failures } from './sign-in-delay.ts'

export interface NewSession {
  hash: string
  sessionId: string
  browser: string
  /** The last factor completed the sign-in. */
  factors: readonly [ProofKind, ...ProofKind[]]
  /** The second factor, which the sign-in uses up. */
  spend?: Spend | undefined
  /** The provider that vouches for the owner; the owner's identity there must be linked to the account. */
  provider?: ProviderProof | undefined
  /** Emails queued with the session. */
  mails?: readonly NewDelivery[]
  /** Marks the browser as known to the account. */
  browserKey?: string
  /** Emails queued if the browser was not known. */
  mailsIfNew?: readonly NewDelivery[]
  network: string
  /** Wrong attempts since the previous sign-in. */
  failures?: number
  createdAt: EpochMs
  expiresAt: EpochMs
  /** The end of the session if its owner is an operator. */
  operatorExpiresAt?: EpochMs
}

export interface SessionOnList extends SessionProof {
  sessionId: string
  browser: string
  network: string | null
  createdAt: EpochMs
  lastUsedAt: EpochMs
}

export type SessionStore = ReturnType<typeof createSessionStore>

export function createSessionStore(database: Database) {
  const { writer, reader } = database
  const find = findByKey(
    database,
    'session.hash',
    reader
      .selectFrom('sessions as session')
      .innerJoin('candidates as candidate', 'candidate.id', 'session.candidate_id')
      .select(eb => [
        'session.id as sessionId',
        'candidate.id as candidateId',
        'candidate.email as email',
        'candidate.first_name as firstName',
        'candidate.mail_refused_at as mailRefusedAt',
        'session.last_used_at as lastUsedAt',
        'session.expires_at as expiresAt',
        'session.created_at as createdAt',
        'session.proved_at as provedAt',
        'session.proved_by as provedBy',
        'session.factors as factors',
        'session.password_at as passwordAt',
        'session.factor_at as factorAt',
        'session.factor_by as factorBy',
        'session.code_at as codeAt',
        'session.provider_issuer as providerIssuer',
        eb.fn
          .coalesce(
            eb
              .selectFrom('memberships')
              .select('role')
              .whereRef('memberships.candidate_id', '=', 'candidate.id')
              .limit(1),
            eb
              .selectFrom('agent_members')
              .select('role')
              .whereRef('agent_members.candidate_id', '=', 'candidate.id')
              .limit(1),
          )
          .as('anyRole'),
        eb
          .selectFrom('operators')
          .select('role')
          .whereRef('operators.candidate_id', '=', 'candidate.id')
          .as('operatorRole'),
      ]),
  )

  return {
    /**
     * Returns false if the password is no longer `passwordHash` (a reset also ends sign-ins in progress), if the second
     * factor has been used up, or if the account has since got one and the session was opened without it.
     */
    add: (candidateId: string, passwordHash: string, session: NewSession): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        const {
          hash,
          sessionId,
          browser,
          network,
          factors,
          createdAt,
          expiresAt,
          operatorExpiresAt = expiresAt,
          failures = 0,
          spend,
          provider,
          mails = [],
          browserKey,
          mailsIfNew = [],
        } = session
        // Writing the row locks it until the commit: a concurrent password reset either commits first and is seen here,
        // or commits later and ends this session.
        const locked = await trx
          .updateTable('candidates')
          .set({ password_hash: passwordHash })
          .where('id', '=', candidateId)
          .where('password_hash', '=', passwordHash)
          .$if(spend === undefined && provider?.hasFactor !== true, query =>
            query.where(({ and, not, exists, selectFrom }) =>
              and(
                (['totp_factors', 'passkeys'] as const).map(factor =>
                  not(
                    exists(selectFrom(factor).select('candidate_id').where('candidate_id', '=', candidateId)),
                  ),
                ),
              ),
            ),
          )
          .executeTakeFirst()
        if (locked.numUpdatedRows !== 1n) return false
        if (spend !== undefined && !(await consumeFactor(trx, candidateId, spend, createdAt))) return false
        if (provider !== undefined && !(await useIdentity(trx, candidateId, provider, createdAt)))
          return false
        const operator = await trx
          .selectFrom('operators')
          .select('role')
          .where('candidate_id', '=', candidateId)
          .executeTakeFirst()
        await trx
          .insertInto('sessions')
          .values({
            hash,
            id: sessionId,
            candidate_id: candidateId,
            browser,
            created_at: createdAt,
            last_used_at: createdAt,
            expires_at: operator === undefined ? expiresAt : Math.min(expiresAt, operatorExpiresAt),
            network,
            // A code from an email opens a session, but is no proof for dangerous acts.
            proved_at: factors.at(-1) === 'code' ? 0 : createdAt,
            proved_by: stored(factors.at(-1) ?? 'password'),
            factors: factors.map(each => (each === 'provider-mfa' ? 'totp' : stored(each))).join(' '),
            code_at: factors[0] === 'code' ? createdAt : null,
            ...shownBy(factors, createdAt),
            ...(provider && {
              ...(spend === undefined ? provedBy(provider) : { password_at: provider.provedAt }),
              provider_issuer: provider.issuer,
              provider_subject: provider.subject,
              provider_session: provider.session,
            }),
            passkey_id: spend?.kind === 'passkey' ? spend.id : null,
          })
          .execute()
        // Sign-ins to one account are serialised here, so only the first from a new browser is treated as new.
        const isNew = browserKey !== undefined && (await markBrowser(trx, browserKey, createdAt))
        await queueDeliveries(trx, isNew ? [...mails, ...mailsIfNew] : mails, createdAt)
        // Only for people who work for a company, an agent or the board: candidates see their sign-ins in their own list.
        const proof = factors.length === 0 ? 'link' : factors.join('+')
        const actor = { kind: 'person', id: candidateId, proof } as const
        const after = failures > 0 ? { failures } : undefined
        const act = { action: 'session.start', target: `session:${sessionId}`, after, actor } as const
        await recordAudit(trx, ...(await chainsOf(trx, candidateId)).map(scope => ({ ...act, scope })))
        return true
      }),

    async find(
      hash: string,
      now: EpochMs,
    ): Promise<(SessionOwner & { lastUsedAt: EpochMs; createdAt: EpochMs }) | undefined> {
      const found = await find(hash)
      if (found === undefined || found.expiresAt <= now) return undefined
      const { sessionId, candidateId, email, firstName, lastUsedAt, createdAt } = found
      const { anyRole, operatorRole, mailRefusedAt } = found
      const proof = proofOf(found)
      // A person who has since joined a workplace must use a password or a passkey.
      if (proof.isByCode && (anyRole !== null || operatorRole !== null)) return undefined
      const states = {
        isMember: anyRole !== null,
        ...(operatorRole === null ? {} : { isOperator: true }),
        isMailRefused: mailRefusedAt !== null,
      }
      const session = { sessionId, candidateId, email, firstName, lastUsedAt, createdAt }
      return { ...session, ...states, ...proof }
    },

    /** Records that the owner proved who they are; returns false if the session has ended. */
    prove: (
      candidateId: string,
      sessionId: string,
      {
        at,
        by,
        spend,
        provider,
        mails = [],
      }: {
        at: EpochMs
        by: ProofKind
        spend?: Spend
        provider?: ProviderProof
        mails?: readonly NewDelivery[]
      },
    ): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        if (spend !== undefined && !(await consumeFactor(trx, candidateId, spend, at))) return false
        if (provider !== undefined && !(await useIdentity(trx, candidateId, provider, at))) return false
        const proved = await trx
          .updateTable('sessions')
          // A recovery code confirms nothing but the removal of a lost factor.
          .set({
            ...(by === 'recovery' ? {} : { proved_at: at, proved_by: stored(by) }),
            ...(provider === undefined ? shownBy([by], at) : provedBy(provider)),
          })
          .where('candidate_id', '=', candidateId)
          .where('id', '=', sessionId)
          .executeTakeFirst()
        await queueDeliveries(trx, mails, at)
        return proved.numUpdatedRows === 1n
      }),

    /** `expiresAt`: the new end of a session whose end depends on its last use. */
    async recordUse(hash: string, at: EpochMs, since: EpochMs, expiresAt?: EpochMs): Promise<void> {
      await writer
        .updateTable('sessions')
        .set({ last_used_at: at, ...(expiresAt === undefined ? {} : { expires_at: expiresAt }) })
        .where('hash', '=', hash)
        .where('last_used_at', '<=', since)
        .execute()
    },

    async list(candidateId: string, now: EpochMs): Promise<SessionOnList[]> {
      const found = await reader
        .selectFrom('sessions')
        .select([
          'id as sessionId',
          'browser',
          'network',
          'created_at as createdAt',
          'last_used_at as lastUsedAt',
          'proved_at as provedAt',
          'proved_by as provedBy',
          'factors',
          'password_at as passwordAt',
          'factor_at as factorAt',
          'factor_by as factorBy',
          'code_at as codeAt',
          'provider_issuer as providerIssuer',
        ])
        .where('candidate_id', '=', candidateId)
        .where('expires_at', '>', now)
        .orderBy('last_used_at', 'desc')
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute()
      return found.map(session => ({ ...session, ...proofOf(session) }))
    },

    endByHash: (hash: string): Promise<void> => endSessions(database, { hash }),
    end: (candidateId: string, sessionId: string): Promise<void> =>
      endSessions(database, { candidateId, sessionId }),
    endOthers: (candidateId: string, keptSessionId: string): Promise<void> =>
      endSessions(database, { candidateId, keptSessionId }),
  }
}

/** Marks a browser as known to an account; returns true if it was not known before. */
async function markBrowser(trx: Kysely<Schema>, key: string, now: number): Promise<boolean> {
  const count = { failures: 0, last_failed_at: now }
  const added = await trx
    .insertInto('sign_in_failures')
    .values({ key, ...count })
    .onConflict(conflict => conflict.column('key').doNothing())
    .executeTakeFirst()
  if (added.numInsertedOrUpdatedRows === 1n) return true
  await trx.updateTable('sign_in_failures').set(count).where('key', '=', key).execute()
  return false
}

/** Which of password and factor these proofs show. A passkey alone has verified its user, so it counts as both. */
function shownBy(shown: readonly ProofKind[], at: number) {
  const factor = shown.find(isFactor)
  const isBoth = shown.length === 1 && factor === 'passkey'
  return {
    ...(isBoth || shown.includes('password') ? { password_at: at } : {}),
    ...(factor === undefined ? {} : { factor_at: at, factor_by: factor }),
  }
}

const isFactor = (kind: ProofKind): kind is FactorKind =>
  kind === 'passkey' || kind === 'totp' || kind === 'recovery'

const stored = (kind: ProofKind): StoredProof =>
  kind === 'code' || kind === 'provider' || kind === 'provider-mfa' ? 'link' : kind

/**
 * A provider replaces the password, as of the person's sign-in there; without that time, it proves nothing. Its second
 * factor counts as an app, which release 0.1.0 knows.
 */
const provedBy = ({ provedAt, hasFactor }: ProviderProof) => ({
  proved_at: provedAt ?? 0,
  password_at: provedAt,
  ...(hasFactor && { factor_at: provedAt, factor_by: 'totp' as const }),
})

/** A session without a proof is from before the release that records it, and was opened with a password. */
function proofOf(session: {
  createdAt: number
  provedAt: number | null
  provedBy: StoredProof | null
  factors: string | null
  passwordAt: number | null
  factorAt: number | null
  factorBy: FactorKind | null
  codeAt: number | null
  providerIssuer: string | null
}): SessionProof {
  const { passwordAt, factorAt, factorBy, codeAt, providerIssuer } = session
  const factors = (session.factors ?? 'password').split(' ') as StoredProof[]
  const ofLink: ProofKind = providerIssuer !== null ? 'provider' : codeAt !== null ? 'code' : 'link'
  const kindOf = (kind: StoredProof): ProofKind => (kind === 'link' ? ofLink : kind)
  return {
    provedAt: session.provedAt ?? session.createdAt,
    provedBy: kindOf(session.provedBy ?? 'password'),
    // A code of an app is never the only proof.
    factors: providerIssuer !== null && factors[0] === 'totp' ? ['provider-mfa'] : factors.map(kindOf),
    ...(codeAt !== null && passwordAt === null && { isByCode: true }),
    providerIssuer,
    passwordAt,
    factorAt,
    factorBy,
  }
}

export type FailureStore = ReturnType<typeof createFailureStore>

export function createFailureStore({ writer }: Database) {
  return {
    // From the writer: the limit on guesses must not rely on a reader that may lag.
    find: (key: string): Promise<Failures | undefined> =>
      writer
        .selectFrom('sign_in_failures')
        .select(['failures', 'last_failed_at as lastFailedAt'])
        .where('key', '=', key)
        .executeTakeFirst(),

    /** Returns false if another attempt was counted in between. */
    async replace(
      key: string,
      found: Failures | undefined,
      { failures, lastFailedAt }: Failures,
    ): Promise<boolean> {
      if (found === undefined) {
        const added = await writer
          .insertInto('sign_in_failures')
          .values({ key, failures, last_failed_at: lastFailedAt })
          .onConflict(conflict => conflict.column('key').doNothing())
          .executeTakeFirst()
        return added.numInsertedOrUpdatedRows === 1n
      }
      const changed = await writer
        .updateTable('sign_in_failures')
        .set({ failures, last_failed_at: lastFailedAt })
        .where('key', '=', key)
        .where('failures', '=', found.failures)
        .where('last_failed_at', '=', found.lastFailedAt)
        .executeTakeFirst()
      return changed.numUpdatedRows === 1n
    },

    async set(key: string, { failures, lastFailedAt }: Failures): Promise<void> {
      await writer
        .insertInto('sign_in_failures')
        .values({ key, failures, last_failed_at: lastFailedAt })
        .onConflict(conflict =>
          conflict.column('key').doUpdateSet({ failures, last_failed_at: lastFailedAt }),
        )
        .execute()
    },

    async remove(key: string): Promise<void> {
      await writer.deleteFrom('sign_in_failures').where('key', '=', key).execute()
    },

    /** Counts a failure, from 1 again after `forgottenBefore`, and queues the emails with every `every`th. */
    countAndNotify: (
      key: string,
      {
        now,
        forgottenBefore,
        every,
        mails,
      }: { now: EpochMs; forgottenBefore: EpochMs; every: number; mails: readonly NewDelivery[] },
    ): Promise<void> =>
      writer.transaction().execute(async trx => {
        const { failures } = await trx
          .insertInto('sign_in_failures')
          .values({ key, failures: 1, last_failed_at: now })
          .onConflict(conflict =>
            conflict.column('key').doUpdateSet(eb => ({
              last_failed_at: now,
              failures: eb
                .case()
                .when('sign_in_failures.last_failed_at', '<', forgottenBefore)
                .then(eb.val(1))
                .else(eb('sign_in_failures.failures', '+', 1))
                .end(),
            })),
          )
          .returning('failures')
          .executeTakeFirstOrThrow()
        if (failures % every === 0) await queueDeliveries(trx, mails, now)
      }),

    /** Takes back one counted attempt that was not a guess. */
    async takeBack(key: string): Promise<void> {
      await writer
        .updateTable('sign_in_failures')
        .set(eb => ({ failures: eb('failures', '-', 1) }))
        .where('key', '=', key)
        .where('failures', '>', 0)
        .execute()
    },
  }
}

type Which =
  /** A sign-out: the session itself is the proof. */
  | { hash: string }
  | { candidateId: string; sessionId: string }
  | { candidateId: string; keptSessionId: string }

/** Ends sessions, and records this for people who work for a company, an agent or the board. */
function endSessions({ writer }: Pick<Database, 'writer'>, which: Which): Promise<void> {
  return writer.transaction().execute(async trx => {
    const sessions = trx.deleteFrom('sessions').returning(['id', 'candidate_id'])
    const chosen =
      'hash' in which
        ? sessions.where('hash', '=', which.hash)
        : sessions
            .where('candidate_id', '=', which.candidateId)
            .where(({ eb }) =>
              'sessionId' in which ? eb('id', '=', which.sessionId) : eb('id', '!=', which.keptSessionId),
            )
    const ended = await chosen.execute()
    if ('keptSessionId' in which) await removeCodes(trx, which.candidateId)
    const [first] = ended
    if (first === undefined) return
    const { id, candidate_id: owner } = first
    const actor: Actor = { kind: 'person', id: owner, proof: 'session' }
    const target: AuditTarget = ended.length === 1 ? `session:${id}` : `person:${owner}`
    const act = {
      action: 'session.end',
      target,
      after: { ended: ended.length },
      ...('hash' in which ? { actor } : {}),
    } as const
    await recordAudit(trx, ...(await chainsOf(trx, owner)).map(scope => ({ ...act, scope })))
  })
}
