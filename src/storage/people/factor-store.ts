import type { DeleteResult, Transaction } from 'kysely'
import type { ProofKind } from '../../model/candidate.ts'
import type { FactorAdded, FactorStore } from '../../people/factors/ports.ts'
import type { NewDelivery } from '../../work/delivery-ports.ts'
import type { Database, Schema } from '../database/tables.ts'
import { lockCandidate, lockLivingCandidate } from '../writing/lock-candidate.ts'
import { queueDeliveries } from '../writing/queue-notice.ts'
import { recordAudit } from '../writing/record-audit.ts'
import { spendChallenge } from './spend-factor.ts'

export function createFactorStore(database: Database): FactorStore {
  const { writer, reader } = database

  async function setCodes(
    trx: Transaction<Schema>,
    candidateId: string,
    hashes: readonly string[],
    at: number,
  ): Promise<void> {
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

  /** Under the lock of the account, so that two first factors cannot be added at once. */
  async function hasFactor(trx: Transaction<Schema>, candidateId: string): Promise<boolean> {
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

  /** After it was added. The first comes with recovery codes, and ends every session that was opened without it. */
  async function settleAdded(
    trx: Transaction<Schema>,
    candidateId: string,
    {
      kind,
      isFirst,
      codes,
      sessionId,
    }: { kind: ProofKind; isFirst: boolean; codes: readonly string[]; sessionId: string },
    at: number,
    mails: readonly NewDelivery[],
  ): Promise<FactorAdded> {
    if (isFirst) {
      await setCodes(trx, candidateId, codes, at)
      // The session has shown both factors now.
      await trx
        .updateTable('sessions')
        .set({ factors: `password ${kind}`, proved_at: at, proved_by: kind })
        .where('candidate_id', '=', candidateId)
        .where('id', '=', sessionId)
        .execute()
      await trx
        .deleteFrom('sessions')
        .where('candidate_id', '=', candidateId)
        .where('id', '!=', sessionId)
        .execute()
    }
    await queueDeliveries(trx, mails, at)
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
    candidateId: string,
    kind: ProofKind,
    at: number,
    mails: readonly NewDelivery[],
    removal: (trx: Transaction<Schema>) => { executeTakeFirst(): Promise<DeleteResult> },
  ) =>
    writer.transaction().execute(async trx => {
      if (!(await lockCandidate(trx, candidateId))) return false
      if ((await removal(trx).executeTakeFirst()).numDeletedRows !== 1n) return false
      if (!(await hasFactor(trx, candidateId))) await setCodes(trx, candidateId, [], at)
      await queueDeliveries(trx, mails, at)
      await recordAudit(trx, {
        action: 'factor.remove',
        scope: 'board',
        target: `person:${candidateId}`,
        before: { kind },
      })
      return true
    })

  return {
    async find(candidateId) {
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

    addTotp: (candidateId, { secret, step, codes, sessionId }, at, mails) =>
      writer.transaction().execute(async trx => {
        await lockLivingCandidate(trx, candidateId)
        const isFirst = !(await hasFactor(trx, candidateId))
        const added = await trx
          .insertInto('totp_factors')
          .values({ candidate_id: candidateId, secret, last_step: step, created_at: at, last_used_at: at })
          .onConflict(conflict => conflict.column('candidate_id').doNothing())
          .executeTakeFirst()
        if (added.numInsertedOrUpdatedRows !== 1n) return 'has-one'
        return settleAdded(trx, candidateId, { kind: 'totp', isFirst, codes, sessionId }, at, mails)
      }),

    removeTotp: (candidateId, at, mails) =>
      remove(candidateId, 'totp', at, mails, trx =>
        trx.deleteFrom('totp_factors').where('candidate_id', '=', candidateId),
      ),

    async findPasskey(id) {
      const found = await passkeys
        .select(['candidate_id as candidateId', 'public_key as publicKey', 'counter'])
        .where('id', '=', id)
        .executeTakeFirst()
      return found && readable(found)
    },

    addPasskey: (candidateId, { passkey, challenge, codes, sessionId, max }, at, mails) =>
      writer.transaction().execute(async trx => {
        await lockLivingCandidate(trx, candidateId)
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
            ...{ id, name, counter },
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
        return settleAdded(trx, candidateId, { kind: 'passkey', isFirst, codes, sessionId }, at, mails)
      }),

    async renamePasskey(candidateId, id, name) {
      const renamed = await writer
        .updateTable('passkeys')
        .set({ name })
        .where('id', '=', id)
        .where('candidate_id', '=', candidateId)
        .executeTakeFirst()
      return renamed.numUpdatedRows === 1n
    },

    removePasskey: (candidateId, id, at, mails) =>
      remove(candidateId, 'passkey', at, mails, trx =>
        trx.deleteFrom('passkeys').where('id', '=', id).where('candidate_id', '=', candidateId),
      ),

    replaceCodes: (candidateId, hashes, at) =>
      writer.transaction().execute(async trx => {
        if (!(await lockCandidate(trx, candidateId)) || !(await hasFactor(trx, candidateId))) return false
        await setCodes(trx, candidateId, hashes, at)
        await recordAudit(trx, {
          action: 'factor.codes',
          scope: 'board',
          target: `person:${candidateId}`,
          after: { codes: hashes.length },
        })
        return true
      }),

    reset: candidateId =>
      writer.transaction().execute(async trx => {
        if (!(await lockCandidate(trx, candidateId))) return false
        let factors = 0
        for (const table of ['totp_factors', 'passkeys'] as const) {
          const removed = await trx
            .deleteFrom(table)
            .where('candidate_id', '=', candidateId)
            .executeTakeFirst()
          factors += Number(removed.numDeletedRows)
        }
        if (factors === 0) return false
        await setCodes(trx, candidateId, [], 0)
        // Those that were opened with the lost factor.
        await trx.deleteFrom('sessions').where('candidate_id', '=', candidateId).execute()
        await recordAudit(trx, {
          action: 'factor.reset',
          scope: 'board',
          target: `person:${candidateId}`,
          before: { factors },
        })
        return true
      }),
  }
}
