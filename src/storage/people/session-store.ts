import type { Kysely } from 'kysely'
import type { ProofKind, SessionProof } from '../../model/candidate.ts'
import type { FailureStore, SessionOnList, SessionStore } from '../../people/account/ports.ts'
import { findByKey } from '../database/find-by-key.ts'
import type { Database, Schema } from '../database/tables.ts'
import { queueDeliveries } from '../writing/queue-notice.ts'
import { chainsOf, recordAudit } from '../writing/record-audit.ts'
import { endSessions } from './end-sessions.ts'
import { spendFactor } from './spend-factor.ts'

export function createSessionStore(database: Database): SessionStore {
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
    add: (candidateId, passwordHash, session) =>
      writer.transaction().execute(async trx => {
        const {
          hash,
          sessionId,
          browser,
          network,
          factors,
          createdAt,
          expiresAt,
          failures = 0,
          spend,
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
          .$if(spend === undefined, query =>
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
        if (spend !== undefined && !(await spendFactor(trx, candidateId, spend, createdAt))) return false
        await trx
          .insertInto('sessions')
          .values({
            hash,
            id: sessionId,
            candidate_id: candidateId,
            browser,
            created_at: createdAt,
            last_used_at: createdAt,
            expires_at: expiresAt,
            network,
            proved_at: createdAt,
            proved_by: factors.at(-1) ?? null,
            factors: factors.join(' '),
          })
          .execute()
        // Sign-ins to one account wait for each other here, so one of those from a new browser finds it unknown.
        const isNew = browserKey !== undefined && (await markBrowser(trx, browserKey, createdAt))
        await queueDeliveries(trx, isNew ? [...mails, ...mailsIfNew] : mails, createdAt)
        // Of people who work for a company, an agent or the board. A candidate's sign-ins are on the candidate's own list.
        const proof = factors.length === 0 ? 'link' : factors.join('+')
        const actor = { kind: 'person', id: candidateId, proof } as const
        const after = failures > 0 ? { failures } : undefined
        const act = { action: 'session.start', target: `session:${sessionId}`, after, actor } as const
        await recordAudit(trx, ...(await chainsOf(trx, candidateId)).map(scope => ({ ...act, scope })))
        return true
      }),

    async find(hash, now) {
      const found = await find(hash)
      if (found === undefined || found.expiresAt <= now) return undefined
      const { sessionId, candidateId, email, firstName, lastUsedAt, anyRole, operatorRole, mailRefusedAt } =
        found
      const states = {
        isMember: anyRole !== null,
        ...(operatorRole === null ? {} : { isOperator: true }),
        isMailRefused: mailRefusedAt !== null,
      }
      return { sessionId, candidateId, email, firstName, lastUsedAt, ...states, ...proofOf(found) }
    },

    prove: (candidateId, sessionId, { at, by, spend }) =>
      writer.transaction().execute(async trx => {
        if (spend !== undefined && !(await spendFactor(trx, candidateId, spend, at))) return false
        const proved = await trx
          .updateTable('sessions')
          .set({ proved_at: at, proved_by: by })
          .where('candidate_id', '=', candidateId)
          .where('id', '=', sessionId)
          .executeTakeFirst()
        return proved.numUpdatedRows === 1n
      }),

    async recordUse(hash, at, since) {
      await writer
        .updateTable('sessions')
        .set({ last_used_at: at })
        .where('hash', '=', hash)
        .where('last_used_at', '<=', since)
        .execute()
    },

    async list(candidateId, now): Promise<SessionOnList[]> {
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
        ])
        .where('candidate_id', '=', candidateId)
        .where('expires_at', '>', now)
        .orderBy('last_used_at', 'desc')
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute()
      return found.map(session => ({ ...session, ...proofOf(session) }))
    },

    endByHash: hash => endSessions(database, { hash }),
    end: (candidateId, sessionId) => endSessions(database, { candidateId, sessionId }),
    endOthers: (candidateId, keptSessionId) => endSessions(database, { candidateId, keptSessionId }),
  }
}

/** Marks a browser as known to an account; true when it was not known before. */
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

/** A session without a proof is from before the release that records it, and was opened with a password. */
function proofOf(session: {
  createdAt: number
  provedAt: number | null
  provedBy: ProofKind | null
  factors: string | null
}): SessionProof {
  return {
    provedAt: session.provedAt ?? session.createdAt,
    provedBy: session.provedBy ?? 'password',
    factors: (session.factors ?? 'password').split(' ') as ProofKind[],
  }
}

export function createFailureStore({ writer }: Database): FailureStore {
  return {
    // From the writer: the limit on guesses must not rely on a reader that may lag.
    find: key =>
      writer
        .selectFrom('sign_in_failures')
        .select(['failures', 'last_failed_at as lastFailedAt'])
        .where('key', '=', key)
        .executeTakeFirst(),

    async replace(key, found, { failures, lastFailedAt }) {
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

    async set(key, { failures, lastFailedAt }) {
      await writer
        .insertInto('sign_in_failures')
        .values({ key, failures, last_failed_at: lastFailedAt })
        .onConflict(conflict =>
          conflict.column('key').doUpdateSet({ failures, last_failed_at: lastFailedAt }),
        )
        .execute()
    },

    async remove(key) {
      await writer.deleteFrom('sign_in_failures').where('key', '=', key).execute()
    },

    async takeBack(key) {
      await writer
        .updateTable('sign_in_failures')
        .set(eb => ({ failures: eb('failures', '-', 1) }))
        .where('key', '=', key)
        .where('failures', '>', 0)
        .execute()
    },
  }
}
