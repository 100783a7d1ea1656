import type { DeleteResult, Transaction } from 'kysely'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { Actor } from '../../platform/core/async/audit-context.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { SessionOwner } from '../../platform/core/session-owner.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import type { NewDelivery } from '../../platform/work/delivery-ports.ts'
import { queueDeliveries } from '../../platform/work/queue-deliveries-store.ts'
import { chainsRequiringFactor } from '../../schema/writing/chains.ts'
import { recordChange, removeCodes } from '../../schema/writing/change-account.ts'
import { lockCandidate, lockLivingCandidate } from '../../schema/writing/lock-candidate.ts'
import { recordTombstones } from '../../schema/writing/record-tombstones.ts'
import { spendChallenge } from './consume-factor-store.ts'
import type {
  FactorAdded,
  FactorAtReset,
  FactorOwner,
  Passkey,
  PasskeyKey,
  SignedChallenge,
  StoredFactors,
} from './records.ts'
import {
  hasFactor,
  isOperator,
  listFactors,
  recordCodeTombstones,
  recordFactorTombstones,
  removeIdentities,
  vouchedAt,
} from './remove-factors-store.ts'

export type FactorStore = ReturnType<typeof createFactorStore>

export function createFactorStore(database: Database) {
  const { writer, reader } = database

  async function setCodes(
    trx: Transaction<Schema>,
    candidateId: string,
    hashes: readonly string[],
    at: number,
  ): Promise<void> {
    await recordCodeTombstones(trx, candidateId)
    await trx.deleteFrom('recovery_codes').where('candidate_id', '=', candidateId).execute()
    if (hashes.length === 0) return
    const rows = hashes.map(hash => ({ candidate_id: candidateId, hash, created_at: at }))
    await trx.insertInto('recovery_codes').values(rows).execute()
  }

  const passkeys = reader
    .selectFrom('passkeys')
    .select([
      'id',
      'name',
      'rp_id as rpId',
      'transports',
      'created_at as createdAt',
      'last_used_at as lastUsedAt',
    ])
  const readable = <Row extends { transports: string }>({ transports, ...row }: Row) => ({
    ...row,
    transports: transports.split(' ').filter(each => each !== ''),
  })

  /**
   * Completes the addition of a factor. The first one comes with recovery codes, and ends every session opened without
   * it.
   */
  async function finishAdding(
    trx: Transaction<Schema>,
    candidateId: string,
    {
      kind,
      isFirst,
      codes,
      sessionId,
      passkeyId,
    }: {
      kind: 'totp' | 'passkey'
      isFirst: boolean
      codes: readonly string[]
      sessionId: string
      passkeyId?: string
    },
    at: number,
    mails: readonly NewDelivery[],
  ): Promise<FactorAdded> {
    if (isFirst) {
      await setCodes(trx, candidateId, codes, at)
      // The session has now shown both factors.
      await trx
        .updateTable('sessions')
        .set({
          factors: `password ${kind}`,
          proved_at: at,
          proved_by: kind,
          factor_at: at,
          factor_by: kind,
          passkey_id: passkeyId ?? null,
        })
        .where('candidate_id', '=', candidateId)
        .where('id', '=', sessionId)
        .execute()
      await trx
        .deleteFrom('sessions')
        .where('candidate_id', '=', candidateId)
        .where('id', '!=', sessionId)
        .execute()
      await removeCodes(trx, candidateId)
      // Removes a requested change of address that only the password has proved.
      await trx
        .deleteFrom('account_links')
        .where('candidate_id', '=', candidateId)
        .where('purpose', '=', 'change-email')
        .execute()
    }
    await queueDeliveries(trx, mails, at)
    await recordChange(trx, mails, { candidateId, kind: 'factor', at })
    await recordTombstones(trx, ['factor-added', candidateId, kind, at])
    await recordAudit(trx, {
      action: 'factor.add',
      scope: 'board',
      target: `person:${candidateId}`,
      after: { kind },
    })
    return isFirst ? 'first' : 'another'
  }

  /** Removes a factor under the lock of the account, with the recovery codes if it was the last one. */
  const remove = (
    owner: Pick<SessionOwner, 'candidateId' | 'sessionId'>,
    factor: { kind: 'totp' } | { kind: 'passkey'; id: string },
    at: number,
    mails: readonly NewDelivery[],
    removal: (trx: Transaction<Schema>) => { executeTakeFirst(): Promise<DeleteResult> },
    actor?: Actor,
  ) =>
    writer.transaction().execute(async trx => {
      const { candidateId } = owner
      const { kind } = factor
      if (!(await lockCandidate(trx, candidateId))) return false
      await recordFactorTombstones(trx, candidateId, factor)
      if ((await removal(trx).executeTakeFirst()).numDeletedRows !== 1n) return false
      const isLast = !(await hasFactor(trx, candidateId))
      if (isLast) await setCodes(trx, candidateId, [], at)
      await endSessionsOf(trx, owner, factor, isLast)
      await queueDeliveries(trx, mails, at)
      const target = `person:${candidateId}` as const
      const chains = await chainsRequiringFactor(trx, candidateId)
      await recordAudit(
        trx,
        ...chains.map(
          scope =>
            ({ action: 'factor.remove', scope, target, before: { kind }, ...(actor && { actor }) }) as const,
        ),
      )
      return true
    })

  return {
    async find(candidateId: string): Promise<StoredFactors> {
      const [totp, found, codes] = await Promise.all([
        reader
          .selectFrom('totp_factors')
          .select(['secret', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
          .where('candidate_id', '=', candidateId)
          .executeTakeFirst(),
        passkeys.where('candidate_id', '=', candidateId).orderBy('created_at').orderBy('id').execute(),
        reader
          .selectFrom('recovery_codes')
          .select(eb => eb.fn.countAll<number | string>().as('left'))
          .where('candidate_id', '=', candidateId)
          .executeTakeFirst(),
      ])
      return { totp, passkeys: found.map(readable), codesLeft: Number(codes?.left ?? 0) }
    },

    /** The factors, newest first, and whether a link in an email that sets the password removes each. */
    async listAtReset(candidateId: string): Promise<FactorAtReset[]> {
      const [since, isKept, factors] = await Promise.all([
        vouchedAt(reader, candidateId),
        isOperator(reader, candidateId),
        listFactors(reader, candidateId),
      ])
      return factors.map(factor => ({ ...factor, isRemoved: !isKept && factor.createdAt > since }))
    },

    /** Adds an app. The first factor comes with recovery codes and ends every other session. */
    addTotp: (
      candidateId: string,
      {
        secret,
        step,
        codes,
        sessionId,
      }: { secret: string; step: number; codes: readonly string[]; sessionId: string },
      at: EpochMs,
      mails: readonly NewDelivery[],
    ): Promise<FactorAdded | 'has-one'> =>
      writer.transaction().execute(async trx => {
        await lockLivingCandidate(trx, candidateId)
        await assertSession(trx, candidateId, sessionId)
        const isFirst = !(await hasFactor(trx, candidateId))
        const added = await trx
          .insertInto('totp_factors')
          .values({ candidate_id: candidateId, secret, last_step: step, created_at: at, last_used_at: at })
          .onConflict(conflict => conflict.column('candidate_id').doNothing())
          .executeTakeFirst()
        if (added.numInsertedOrUpdatedRows !== 1n) return 'has-one'
        return finishAdding(trx, candidateId, { kind: 'totp', isFirst, codes, sessionId }, at, mails)
      }),

    /** Removes the app, with the recovery codes if it was the last factor. */
    removeTotp: (owner: FactorOwner, at: EpochMs, mails: readonly NewDelivery[]): Promise<boolean> =>
      remove(owner, { kind: 'totp' }, at, mails, trx =>
        trx.deleteFrom('totp_factors').where('candidate_id', '=', owner.candidateId),
      ),

    /** Removes the app by a link from the mailbox, if it still has this secret. */
    removeLostTotp: (
      candidateId: string,
      secret: string,
      at: EpochMs,
      mails: readonly NewDelivery[],
    ): Promise<boolean> =>
      remove(
        ...([{ candidateId, sessionId: '' }, { kind: 'totp' }, at, mails] as const),
        trx =>
          trx.deleteFrom('totp_factors').where('candidate_id', '=', candidateId).where('secret', '=', secret),
        { kind: 'person', id: candidateId, proof: 'link' },
      ),

    async findPasskey(id: string): Promise<(Passkey & PasskeyKey & { candidateId: string }) | undefined> {
      const found = await passkeys
        .select(['candidate_id as candidateId', 'public_key as publicKey', 'counter'])
        .where('id', '=', id)
        .executeTakeFirst()
      return found && readable(found)
    },

    /** `used`: the challenge was used before. `known`: an account already has this passkey. */
    addPasskey: (
      candidateId: string,
      {
        passkey,
        challenge,
        codes,
        sessionId,
        max,
      }: {
        passkey: Omit<Passkey, 'createdAt' | 'lastUsedAt'> & PasskeyKey
        challenge: SignedChallenge
        codes: readonly string[]
        sessionId: string
        max: number
      },
      at: EpochMs,
      mails: readonly NewDelivery[],
    ): Promise<FactorAdded | 'used' | 'known' | 'too-many'> =>
      writer.transaction().execute(async trx => {
        await lockLivingCandidate(trx, candidateId)
        await assertSession(trx, candidateId, sessionId)
        if (!(await spendChallenge(trx, challenge))) return 'used'
        const isFirst = !(await hasFactor(trx, candidateId))
        const { count } = await trx
          .selectFrom('passkeys')
          .select(eb => eb.fn.countAll<number | string>().as('count'))
          .where('candidate_id', '=', candidateId)
          .executeTakeFirstOrThrow()
        if (Number(count) >= max) return 'too-many'
        const { id, name, rpId, publicKey, counter, transports } = passkey
        const added = await trx
          .insertInto('passkeys')
          .values({
            id,
            name,
            counter,
            candidate_id: candidateId,
            rp_id: rpId,
            public_key: publicKey,
            transports: transports.join(' '),
            created_at: at,
            last_used_at: at,
          })
          .onConflict(conflict => conflict.column('id').doNothing())
          .executeTakeFirst()
        if (added.numInsertedOrUpdatedRows !== 1n) return 'known'
        return finishAdding(
          trx,
          candidateId,
          { kind: 'passkey', isFirst, codes, sessionId, passkeyId: id },
          at,
          mails,
        )
      }),

    async renamePasskey(candidateId: string, id: string, name: string): Promise<boolean> {
      const renamed = await writer
        .updateTable('passkeys')
        .set({ name })
        .where('id', '=', id)
        .where('candidate_id', '=', candidateId)
        .executeTakeFirst()
      return renamed.numUpdatedRows === 1n
    },

    /**
     * Removes a passkey and ends the owner's other sessions that were opened with it. With the last factor, the
     * recovery codes go too, and the remaining sessions count as opened with the password. False if there is none.
     */
    removePasskey: (
      owner: FactorOwner,
      id: string,
      at: EpochMs,
      mails: readonly NewDelivery[],
    ): Promise<boolean> =>
      remove(owner, { kind: 'passkey', id }, at, mails, trx =>
        trx.deleteFrom('passkeys').where('id', '=', id).where('candidate_id', '=', owner.candidateId),
      ),

    /** Replaces all recovery codes by their hashes; false without a factor. */
    replaceCodes: (
      candidateId: string,
      hashes: readonly string[],
      at: EpochMs,
      mails: readonly NewDelivery[],
    ): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        if (!(await lockCandidate(trx, candidateId)) || !(await hasFactor(trx, candidateId))) return false
        await setCodes(trx, candidateId, hashes, at)
        await queueDeliveries(trx, mails, at)
        await recordAudit(trx, {
          action: 'factor.codes',
          scope: 'board',
          target: `person:${candidateId}`,
          after: { codes: hashes.length },
        })
        return true
      }),

    /** Removes every factor with the recovery codes and all sessions; false if there is none. */
    reset: (
      candidateId: string,
      { reason, mails, at }: { reason: string; mails: readonly NewDelivery[]; at: EpochMs },
    ): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        if (!(await lockCandidate(trx, candidateId))) return false
        await recordFactorTombstones(trx, candidateId)
        let factors = 0
        for (const table of ['totp_factors', 'passkeys'] as const) {
          const removed = await trx
            .deleteFrom(table)
            .where('candidate_id', '=', candidateId)
            .executeTakeFirst()
          factors += Number(removed.numDeletedRows)
        }
        factors += (await removeIdentities(trx, candidateId)).length
        if (factors === 0) return false
        await setCodes(trx, candidateId, [], 0)
        // Includes the sessions opened with the lost factor.
        await trx.deleteFrom('sessions').where('candidate_id', '=', candidateId).execute()
        await removeCodes(trx, candidateId)
        await queueDeliveries(trx, mails, at)
        const act = { action: 'factor.reset', target: `person:${candidateId}` } as const
        const chains = await chainsRequiringFactor(trx, candidateId)
        await recordAudit(
          trx,
          // The operator's reason may concern something other than the company.
          ...chains.map(scope => ({
            ...act,
            scope,
            before: { factors },
            ...(scope === 'board' && { after: { reason } }),
          })),
        )
        return true
      }),
  }
}

/**
 * Throws unless the session still exists. Call under the lock of the account: requests are authenticated before their
 * body arrives, and an intruder whom a reset has since signed out must not lock the owner out with a new factor.
 */
async function assertSession(
  trx: Transaction<Schema>,
  candidateId: string,
  sessionId: string,
): Promise<void> {
  const session = await trx
    .selectFrom('sessions')
    .select('id')
    .where('candidate_id', '=', candidateId)
    .where('id', '=', sessionId)
    .executeTakeFirst()
  if (session === undefined) throw new Problem('form-expired')
}

/**
 * Ends the other sessions that were opened with a factor. If the account has no factor left, the remaining sessions count as
 * opened with the password, so that pages that require a factor ask for a new one.
 */
async function endSessionsOf(
  trx: Transaction<Schema>,
  { candidateId, sessionId }: Pick<SessionOwner, 'candidateId' | 'sessionId'>,
  factor: { kind: 'totp' } | { kind: 'passkey'; id: string },
  isLast: boolean,
): Promise<void> {
  await removeCodes(trx, candidateId)
  await trx
    .deleteFrom('sessions')
    .where('candidate_id', '=', candidateId)
    .where('id', '!=', sessionId)
    .where('factors', 'like', `%${factor.kind}%`)
    // An older release did not record which passkey it was.
    .$if(factor.kind === 'passkey', query =>
      query.where(({ or, eb }) =>
        or([eb('passkey_id', 'is', null), eb('passkey_id', '=', 'id' in factor ? factor.id : '')]),
      ),
    )
    .execute()
  if (isLast)
    await trx
      .updateTable('sessions')
      .set({ factors: 'password', passkey_id: null, factor_at: null, factor_by: null })
      .where('candidate_id', '=', candidateId)
      .execute()
}
