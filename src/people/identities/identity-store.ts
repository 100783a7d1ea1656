import type { Kysely, Transaction } from 'kysely'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { Actor } from '../../platform/core/async/audit-context.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { hasPassword } from '../../platform/core/password.ts'
import type { Identity } from '../../platform/core/session-owner.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import type { NewDelivery } from '../../platform/work/delivery-ports.ts'
import { queueDeliveries } from '../../platform/work/queue-deliveries-store.ts'
import { chainsOf, chainsWithBoard } from '../../schema/writing/chains.ts'
import { recordChange } from '../../schema/writing/change-account.ts'
import { lockCandidate, lockLivingCandidate } from '../../schema/writing/lock-candidate.ts'
import { recordTombstones } from '../../schema/writing/record-tombstones.ts'
import { registerInvited } from '../../schema/writing/register-invited.ts'
import type { LinkedIdentity } from './records.ts'

/** `taken`: another account has this identity. `has-one`: the account has another identity of this provider. */
export type Linked = 'linked' | 'taken' | 'has-one'

export type IdentityStore = ReturnType<typeof createIdentityStore>

/** Accounts' identities at OpenID providers: one account per identity, and one identity of each provider per account. */
export function createIdentityStore(database: Database) {
  const { writer, reader } = database

  const isThere = async (
    db: Kysely<Schema>,
    table: 'operators' | 'memberships' | 'agent_members',
    id: string,
  ) =>
    (await db.selectFrom(table).select('candidate_id').where('candidate_id', '=', id).executeTakeFirst()) !==
    undefined

  return {
    // From the writer: the answer determines who signs in.
    async find({ issuer, subject }: Identity): Promise<string | undefined> {
      const found = await writer
        .selectFrom('identities')
        .select('candidate_id')
        .where('issuer', '=', issuer)
        .where('subject', '=', subject)
        .executeTakeFirst()
      return found?.candidate_id
    },

    list: (candidateId: string): Promise<LinkedIdentity[]> =>
      reader
        .selectFrom('identities')
        .select(['issuer', 'subject', 'linked_at as linkedAt', 'last_used_at as lastUsedAt'])
        .where('candidate_id', '=', candidateId)
        .orderBy('issuer')
        .execute(),

    isOperator: (candidateId: string): Promise<boolean> => isThere(writer, 'operators', candidateId),

    /** Whether the account is a candidate's alone and has an identity of this provider. */
    async isCandidateOf(issuer: string, candidateId: string): Promise<boolean> {
      const linked = await writer
        .selectFrom('identities')
        .select('subject')
        .where('candidate_id', '=', candidateId)
        .where('issuer', '=', issuer)
        .executeTakeFirst()
      if (linked === undefined) return false
      for (const table of ['operators', 'memberships', 'agent_members'] as const)
        if (await isThere(writer, table, candidateId)) return false
      return true
    },

    /** `mails`: queued with it. Without an operator's command, the provider proves the person. */
    link: (
      candidateId: string,
      identity: Identity,
      at: EpochMs,
      mails: readonly NewDelivery[],
      isCommand = false,
    ): Promise<Linked> =>
      writer.transaction().execute(async trx => {
        await lockLivingCandidate(trx, candidateId)
        const { issuer, subject } = identity
        const added = await addIdentity(trx, candidateId, identity, at)
        if (added) {
          await queueDeliveries(trx, mails, at)
          await recordChange(trx, mails, { candidateId, kind: 'factor', at })
          const actor = isCommand ? undefined : byProvider(candidateId)
          await record(trx, candidateId, 'account.link', issuer, actor)
          return 'linked'
        }
        const owner = await trx
          .selectFrom('identities')
          .select('candidate_id')
          .where('issuer', '=', issuer)
          .where('subject', '=', subject)
          .executeTakeFirst()
        if (owner === undefined) return 'has-one'
        return owner.candidate_id === candidateId ? 'linked' : 'taken'
      }),

    /**
     * Removes an identity and ends the sessions that it opened, except the current one. `last`: the account would have
     * no other way to sign in.
     */
    unlink: (
      { candidateId, sessionId }: { candidateId: string; sessionId: string },
      issuer: string,
      at: EpochMs,
      mails: readonly NewDelivery[],
    ): Promise<'removed' | 'last' | 'missing'> =>
      writer.transaction().execute(async trx => {
        if (!(await lockCandidate(trx, candidateId))) return 'missing'
        const { passwordHash } = await trx
          .selectFrom('candidates')
          .select('password_hash as passwordHash')
          .where('id', '=', candidateId)
          .executeTakeFirstOrThrow()
        const passkey = await trx
          .selectFrom('passkeys')
          .select('id')
          .where('candidate_id', '=', candidateId)
          .limit(1)
          .executeTakeFirst()
        if (!hasPassword(passwordHash) && passkey === undefined) return 'last'
        const removed = await trx
          .deleteFrom('identities')
          .where('candidate_id', '=', candidateId)
          .where('issuer', '=', issuer)
          .returning(['linked_at', 'subject'])
          .executeTakeFirst()
        if (removed === undefined) return 'missing'
        await recordTombstones(trx, ['identity', candidateId, issuer, removed.linked_at])
        await trx
          .deleteFrom('sessions')
          .where('candidate_id', '=', candidateId)
          .where('provider_issuer', '=', issuer)
          .where('provider_subject', '=', removed.subject)
          .where('id', '!=', sessionId)
          .execute()
        await queueDeliveries(trx, mails, at)
        await record(trx, candidateId, 'account.unlink', issuer)
        return 'removed'
      }),

    /** Adds an account for an address that the provider has verified; `taken` if the address has a confirmed account. */
    addAccount: (
      email: string,
      account: Parameters<typeof registerInvited>[2],
      identity: Identity,
      at: EpochMs,
    ): Promise<string | 'taken'> =>
      writer.transaction().execute(async trx => {
        const candidateId = await registerInvited(trx, email, account, at)
        if (candidateId === undefined) return 'taken'
        // Otherwise the same person has pressed the button twice, and the first press made the account.
        if (!(await addIdentity(trx, candidateId, identity, at))) throw new Error('the identity is linked')
        await record(trx, candidateId, 'account.link', identity.issuer, byProvider(candidateId))
        return candidateId
      }),

    /** Ends the sessions that a provider opened, once the provider reports that its own session has ended. */
    endSessions: (
      issuer: string,
      { subject, session }: { subject: string | undefined; session: string | undefined },
    ): Promise<number> =>
      writer.transaction().execute(async trx => {
        const ended = await trx
          .deleteFrom('sessions')
          .where('provider_issuer', '=', issuer)
          .$if(subject !== undefined, query => query.where('provider_subject', '=', subject ?? ''))
          .$if(session !== undefined, query => query.where('provider_session', '=', session ?? ''))
          .returning(['id', 'candidate_id'])
          .execute()
        for (const { id, candidate_id } of ended) {
          const actor = byProvider(candidate_id)
          const act = { action: 'session.end', target: `session:${id}`, after: { ended: 1 }, actor } as const
          await recordAudit(trx, ...(await chainsOf(trx, candidate_id)).map(scope => ({ ...act, scope })))
        }
        return ended.length
      }),

    /** Stores a text under a new key, until it is taken (once) or expires; false if the key is in use. */
    async keep(key: string, content: string, expiresAt: EpochMs): Promise<boolean> {
      const kept = await writer
        .insertInto('sent_forms')
        .values({ key, location: content, expires_at: expiresAt })
        .onConflict(conflict => conflict.column('key').doNothing())
        .executeTakeFirst()
      return kept.numInsertedOrUpdatedRows === 1n
    },

    async read(key: string, now: EpochMs): Promise<string | undefined> {
      const row = await writer
        .selectFrom('sent_forms')
        .select('location')
        .where('key', '=', key)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row?.location
    },

    async take(key: string, now: EpochMs): Promise<string | undefined> {
      const row = await writer
        .deleteFrom('sent_forms')
        .where('key', '=', key)
        .where('expires_at', '>', now)
        .returning('location')
        .executeTakeFirst()
      return row?.location
    },
  }
}

/** Returns false if the identity has since been removed from the account. */
export async function useIdentity(
  trx: Kysely<Schema>,
  candidateId: string,
  { issuer, subject }: Identity,
  at: EpochMs,
): Promise<boolean> {
  const used = await trx
    .updateTable('identities')
    .set({ last_used_at: at })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .where('candidate_id', '=', candidateId)
    .executeTakeFirst()
  return used.numUpdatedRows === 1n
}

async function addIdentity(
  trx: Transaction<Schema>,
  candidateId: string,
  { issuer, subject }: Identity,
  at: EpochMs,
): Promise<boolean> {
  const added = await trx
    .insertInto('identities')
    .values({ issuer, subject, candidate_id: candidateId, linked_at: at, last_used_at: at })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst()
  return added.numInsertedOrUpdatedRows === 1n
}

const byProvider = (id: string): Actor => ({ kind: 'person', id, proof: 'provider' })

async function record(
  trx: Transaction<Schema>,
  candidateId: string,
  action: 'account.link' | 'account.unlink',
  issuer: string,
  actor?: Actor,
): Promise<void> {
  const chains = await chainsWithBoard(trx, candidateId)
  const noted = action === 'account.link' ? { after: { issuer } } : { before: { issuer } }
  const target = `person:${candidateId}` as const
  await recordAudit(
    trx,
    ...chains.map(scope => ({ action, scope, target, ...noted, ...(actor && { actor }) }) as const),
  )
}
