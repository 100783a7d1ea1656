import type { Transaction } from 'kysely'
import type { FactorStore } from '../../people/factors/ports.ts'
import type { Database, Schema } from '../database/tables.ts'
import { lockLivingCandidate } from '../writing/lock-candidate.ts'
import { queueDeliveries } from '../writing/queue-notice.ts'
import { recordAudit } from '../writing/record-audit.ts'

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

  return {
    async find(candidateId) {
      const [totp, codes] = await Promise.all([
        reader
          .selectFrom('totp_factors')
          .select(['secret', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
          .where('candidate_id', '=', candidateId)
          .executeTakeFirst(),
        reader
          .selectFrom('recovery_codes')
          .select(eb => eb.fn.countAll<number | string>().as('left'))
          .where('candidate_id', '=', candidateId)
          .executeTakeFirst(),
      ])
      return { totp, codesLeft: Number(codes?.left ?? 0) }
    },

    addTotp: (candidateId, { secret, step, codes, sessionId }, at, mails) =>
      writer.transaction().execute(async trx => {
        await lockLivingCandidate(trx, candidateId)
        const added = await trx
          .insertInto('totp_factors')
          .values({ candidate_id: candidateId, secret, last_step: step, created_at: at, last_used_at: at })
          .onConflict(conflict => conflict.column('candidate_id').doNothing())
          .executeTakeFirst()
        if (added.numInsertedOrUpdatedRows !== 1n) return false
        await setCodes(trx, candidateId, codes, at)
        // The session has shown both factors now.
        await trx
          .updateTable('sessions')
          .set({ factors: 'password totp', proved_at: at, proved_by: 'totp' })
          .where('candidate_id', '=', candidateId)
          .where('id', '=', sessionId)
          .execute()
        // Every other session was opened without it.
        await trx
          .deleteFrom('sessions')
          .where('candidate_id', '=', candidateId)
          .where('id', '!=', sessionId)
          .execute()
        await queueDeliveries(trx, mails, at)
        await recordAudit(trx, {
          action: 'factor.add',
          scope: 'board',
          target: `person:${candidateId}`,
          after: { kind: 'totp' },
        })
        return true
      }),

    removeTotp: (candidateId, at, mails) =>
      writer.transaction().execute(async trx => {
        const removed = await trx
          .deleteFrom('totp_factors')
          .where('candidate_id', '=', candidateId)
          .executeTakeFirst()
        if (removed.numDeletedRows !== 1n) return false
        await setCodes(trx, candidateId, [], at)
        await queueDeliveries(trx, mails, at)
        await recordAudit(trx, {
          action: 'factor.remove',
          scope: 'board',
          target: `person:${candidateId}`,
          before: { kind: 'totp' },
        })
        return true
      }),

    replaceCodes: (candidateId, hashes, at) =>
      writer.transaction().execute(async trx => {
        const held = await trx
          .updateTable('totp_factors')
          .set(eb => ({ last_step: eb.ref('last_step') }))
          .where('candidate_id', '=', candidateId)
          .executeTakeFirst()
        if (held.numUpdatedRows !== 1n) return false
        await setCodes(trx, candidateId, hashes, at)
        await recordAudit(trx, {
          action: 'factor.codes',
          scope: 'board',
          target: `person:${candidateId}`,
          after: { codes: hashes.length },
        })
        return true
      }),
  }
}
