import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { ChosenDeliveries, ClaimedDelivery, DeliveryStore } from '../../work/delivery-ports.ts'
import type { Database, Schema } from '../database/tables.ts'
import { queueDeliveries } from '../writing/queue-notice.ts'
import { recordAudit } from '../writing/record-audit.ts'

const forgotten = '{}'

/** No pause between attempts is longer than a day, so a later time was written by a clock that was ahead. */
const furthestMs = 25 * 3_600_000

export function createDeliveryStore({ writer, reader, dialect }: Database): DeliveryStore {
  const picked = <O>(query: SelectQueryBuilder<Schema, 'deliveries', O>) =>
    dialect === 'postgres' ? query.forUpdate().skipLocked() : query

  const waiting = writer.selectFrom('deliveries').select('id').where('state', '=', 'waiting')
  const due = (now: number) => waiting.where('due_at', '<=', now)
  const oldest = (found: typeof waiting, kinds: readonly string[], most: number) =>
    found
      .where('kind', 'in', [...kinds])
      .orderBy('due_at')
      .limit(most)

  /** Moves the time, so that the row is due for no other process until then. */
  async function claimFound(
    found: SelectQueryBuilder<Schema, 'deliveries', { id: string }>,
    until: number,
  ): Promise<ClaimedDelivery[]> {
    const rows = await writer
      .updateTable('deliveries')
      .set({ due_at: until, attempts: sql<number>`attempts + 1` })
      .where('id', 'in', picked(found))
      .returning(['id', 'kind', 'content', 'attempts', 'created_at', 'give_up_at', 'due_at'])
      .execute()
    return rows.map(row => ({
      id: row.id,
      kind: row.kind,
      content: row.content,
      attempt: row.attempts,
      createdAt: row.created_at,
      giveUpAt: row.give_up_at,
      claimedUntil: row.due_at,
    }))
  }

  const claimedRow = (db: Kysely<Schema>, { id, claimedUntil }: ClaimedDelivery) =>
    db
      .updateTable('deliveries')
      .where('id', '=', id)
      .where('state', '=', 'waiting')
      .where('due_at', '=', claimedUntil)

  return {
    add: (deliveries, now) => queueDeliveries(writer, deliveries, now),

    async claim(kinds, now, until, most) {
      const claimed = await claimFound(oldest(due(now), kinds, most), until)
      if (claimed.length === most) return claimed
      const ahead = waiting.where('due_at', '>', now + furthestMs)
      return [...claimed, ...(await claimFound(oldest(ahead, kinds, most - claimed.length), until))]
    },

    async claimOne(id, now, until) {
      const [claimed] = await claimFound(due(now).where('id', '=', id), until)
      return claimed
    },

    async retry(claimed, dueAt, fault) {
      await claimedRow(writer, claimed).set({ due_at: dueAt, fault }).execute()
    },

    async end(claimed, { state, at, fault, forgetsContent }) {
      await claimedRow(writer, claimed)
        .set({ state, ended_at: at, fault, ...(forgetsContent ? { content: forgotten } : {}) })
        .execute()
    },

    async remove({ id, claimedUntil }) {
      await writer
        .deleteFrom('deliveries')
        .where('id', '=', id)
        .where('state', '=', 'waiting')
        .where('due_at', '=', claimedUntil)
        .execute()
    },

    async dropUnclaimed(kinds, dueBefore, most) {
      const found = oldest(due(dueBefore), kinds, most)
      const dropped = await writer
        .deleteFrom('deliveries')
        .where('id', 'in', picked(found))
        .executeTakeFirst()
      return Number(dropped.numDeletedRows)
    },

    async counts() {
      const countOf = (state: 'waiting' | 'dead' | 'held') =>
        reader
          .selectFrom('deliveries')
          .select(({ fn }) => [
            fn.countAll<number>().as('count'),
            fn.min<number>('created_at').as('oldestAt'),
          ])
          .where('state', '=', sql.lit(state))
          .executeTakeFirstOrThrow()
      const [waiting, dead, held] = await Promise.all([countOf('waiting'), countOf('dead'), countOf('held')])
      return { waiting: waiting.count, oldestAt: waiting.oldestAt, dead: dead.count, held: held.count }
    },

    list: (states, most) =>
      reader
        .selectFrom('deliveries')
        .select(['id', 'kind', 'state', 'attempts', 'created_at as createdAt', 'due_at as dueAt'])
        .select(['ended_at as endedAt', 'fault'])
        .where('state', 'in', [...states])
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(most)
        .execute(),

    retryNow: (ids, now, giveUpAt) =>
      writer.transaction().execute(async trx => {
        const dead = trx
          .updateTable('deliveries')
          .set({
            state: 'waiting',
            due_at: now,
            // Content that names a person stays no longer.
            give_up_at: sql<number>`case when state = 'waiting' then give_up_at else ${giveUpAt} end`,
            attempts: 0,
            ended_at: null,
            fault: null,
          })
          .where('content', '!=', forgotten)
        const chosen =
          typeof ids === 'string'
            ? dead.where('state', '=', ids)
            : dead.where('id', 'in', [...ids]).where('state', 'in', ['dead', 'waiting', 'held'])
        const count = Number((await chosen.executeTakeFirst()).numUpdatedRows)
        if (count > 0) await recordAudit(trx, { action: 'mail.retry', ...actOn(ids, count) })
        return count
      }),

    drop: ids =>
      writer.transaction().execute(async trx => {
        const ended = trx.deleteFrom('deliveries')
        const chosen =
          typeof ids === 'string' ? ended.where('state', '=', ids) : ended.where('id', 'in', [...ids])
        const count = Number((await chosen.executeTakeFirst()).numDeletedRows)
        if (count > 0) await recordAudit(trx, { action: 'mail.drop', ...actOn(ids, count) })
        return count
      }),
  }
}

/** One email by its ID, or how many. */
function actOn(ids: ChosenDeliveries, count: number) {
  const which = typeof ids === 'string' ? ids : (ids.length === 1 && ids[0]) || 'chosen'
  return { scope: 'board' as const, target: `mail:${which}` as const, after: { count } }
}
