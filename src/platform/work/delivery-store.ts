import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { recordAudit } from '../audit/record-audit-store.ts'
import type { EpochMs } from '../core/clock.ts'
import type { Database, Schema } from '../database/tables.ts'
import type {
  ChosenDeliveries,
  ClaimedDelivery,
  DeliveryCounts,
  DeliveryState,
  GatheredDelivery,
  ListedDelivery,
  NewDelivery,
} from './delivery-ports.ts'
import { queueDeliveries } from './queue-deliveries-store.ts'

const forgotten = '{}'

/** No pause between attempts is longer than a day, so a later time was written when the clock was ahead. */
const furthestMs = 25 * 3_600_000

export type DeliveryStore = ReturnType<typeof createDeliveryStore>

export function createDeliveryStore(
  { writer, reader, dialect }: Database,
  processId: () => string | null = () => null,
) {
  const picked = <O>(query: SelectQueryBuilder<Schema, 'deliveries', O>) =>
    dialect === 'postgres' ? query.forUpdate().skipLocked() : query

  const waiting = writer.selectFrom('deliveries').select('id').where('state', '=', 'waiting')
  const due = (now: number) => waiting.where('due_at', '<=', now)
  const oldest = (found: typeof waiting, kinds: readonly string[], max: number) =>
    found
      .where('kind', 'in', [...kinds])
      .orderBy('due_at')
      .limit(max)

  /** Postpones the row, so that it is not due for any other process until then. */
  async function claimFound(
    found: SelectQueryBuilder<Schema, 'deliveries', { id: string }>,
    until: number,
  ): Promise<ClaimedDelivery[]> {
    const rows = await writer
      .updateTable('deliveries')
      .set({ due_at: until, attempts: sql<number>`attempts + 1`, holder: processId() })
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
    add: (deliveries: readonly NewDelivery[], now: EpochMs): Promise<void> =>
      queueDeliveries(writer, deliveries, now),

    /**
     * Claims due deliveries, oldest first, by postponing them: no two processes claim the same one. Includes expired
     * deliveries only if they expired before `lateBefore`.
     */
    async claim(
      kinds: readonly string[],
      now: EpochMs,
      until: EpochMs,
      max: number,
      lateBefore: EpochMs = 0,
    ): Promise<ClaimedDelivery[]> {
      const inTime = (found: typeof waiting) =>
        found.where(eb => eb.or([eb('give_up_at', '>=', now), eb('give_up_at', '<', lateBefore)]))
      const claimed = await claimFound(oldest(inTime(due(now)), kinds, max), until)
      if (claimed.length === max) return claimed
      const ahead = inTime(waiting.where('due_at', '>', now + furthestMs))
      return [...claimed, ...(await claimFound(oldest(ahead, kinds, max - claimed.length), until))]
    },

    /** Undefined if it is not due, its time has ended, or another process has claimed it. */
    async claimOne(id: string, now: EpochMs, until: EpochMs): Promise<ClaimedDelivery | undefined> {
      const [claimed] = await claimFound(due(now).where('id', '=', id).where('give_up_at', '>=', now), until)
      return claimed
    },

    /** Undefined once it has been dropped or merged into another delivery. */
    async stateOf(id: string): Promise<DeliveryState | undefined> {
      const row = await writer
        .selectFrom('deliveries')
        .select('state')
        .where('id', '=', id)
        .executeTakeFirst()
      return row?.state
    },

    async retry(claimed: ClaimedDelivery, dueAt: EpochMs, fault: string): Promise<void> {
      await claimedRow(writer, claimed).set({ due_at: dueAt, fault, holder: null }).execute()
    },

    /**
     * These five do nothing unless the claim is still the latest. `release` undoes the claim, as if there had been no
     * attempt.
     */
    async release(claimed: ClaimedDelivery, now: EpochMs): Promise<void> {
      await claimedRow(writer, claimed)
        .set({ due_at: now, attempts: sql<number>`attempts - 1`, holder: null })
        .execute()
    },

    async end(
      claimed: ClaimedDelivery,
      {
        state,
        at,
        fault,
        forgetsContent,
      }: { state: 'sent' | 'dead'; at: EpochMs; fault: string | null; forgetsContent: boolean },
    ): Promise<void> {
      await claimedRow(writer, claimed)
        .set({ state, ended_at: at, fault, ...(forgetsContent ? { content: forgotten } : {}) })
        .execute()
    },

    async remove({ id, claimedUntil }: ClaimedDelivery): Promise<void> {
      await writer
        .deleteFrom('deliveries')
        .where('id', '=', id)
        .where('state', '=', 'waiting')
        .where('due_at', '=', claimedUntil)
        .execute()
    },

    /** Moves it into another delivery, in one transaction; begins a new one if that has already been attempted. */
    gather: (
      { id, claimedUntil }: ClaimedDelivery,
      { add, ...into }: GatheredDelivery,
      now: EpochMs,
    ): Promise<void> =>
      writer.transaction().execute(async trx => {
        const moved = await trx
          .deleteFrom('deliveries')
          .where('id', '=', id)
          .where('state', '=', 'waiting')
          .where('due_at', '=', claimedUntil)
          .executeTakeFirst()
        if (moved.numDeletedRows !== 1n) return
        for (let further = 0; ; further++) {
          const target = further === 0 ? into.id : `${into.id}.${further}`
          const row = { id: target, kind: into.kind, give_up_at: into.giveUpAt, due_at: into.dueAt }
          // Only the first of several concurrent rows is added; the others find its row, and lock it.
          const added = await trx
            .insertInto('deliveries')
            .values({ ...row, content: add(undefined), state: 'waiting', created_at: now })
            .onConflict(conflict => conflict.column('id').doNothing())
            .executeTakeFirst()
          if (added.numInsertedOrUpdatedRows === 1n) return
          const locked = await trx
            .updateTable('deliveries')
            .set({ attempts: 0 })
            .where('id', '=', target)
            .where('state', '=', 'waiting')
            .where('attempts', '=', 0)
            .returning('content')
            .executeTakeFirst()
          if (locked === undefined) continue
          await trx
            .updateTable('deliveries')
            .set({ content: add(locked.content) })
            .where('id', '=', target)
            .execute()
          return
        }
      }),

    /**
     * Removes waiting deliveries that expired before `lateBefore`, and returns how many. Skips those that another
     * process may have claimed.
     */
    async dropLate(kinds: readonly string[], lateBefore: EpochMs, max: number): Promise<number> {
      const unclaimed = waiting.where(eb =>
        eb.or([eb('due_at', '<=', lateBefore), eb('due_at', '>', lateBefore + furthestMs)]),
      )
      const found = oldest(unclaimed.where('give_up_at', '<', lateBefore), kinds, max)
      const dropped = await writer
        .deleteFrom('deliveries')
        .where('id', 'in', picked(found))
        .executeTakeFirst()
      return Number(dropped.numDeletedRows)
    },

    async counts(): Promise<DeliveryCounts> {
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

    /** Newest first. */
    list: (states: readonly DeliveryState[], max: number): Promise<ListedDelivery[]> =>
      reader
        .selectFrom('deliveries')
        .select(['id', 'kind', 'state', 'attempts', 'created_at as createdAt', 'due_at as dueAt'])
        .select(['ended_at as endedAt', 'fault'])
        .where('state', 'in', [...states])
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(max)
        .execute(),

    /**
     * Makes deliveries due immediately, until `giveUpAt` or later; a delivery without content stays dead. A waiting
     * delivery of a personal kind keeps its time, and is skipped once that has passed. Returns how many.
     */
    retryNow: (
      ids: ChosenDeliveries,
      now: EpochMs,
      giveUpAt: EpochMs,
      personalKinds: readonly string[],
    ): Promise<number> =>
      writer.transaction().execute(async trx => {
        const dead = trx
          .updateTable('deliveries')
          .set({
            state: 'waiting',
            due_at: now,
            // Personal content is not kept longer.
            give_up_at: sql<number>`case when state = 'waiting' and (kind in (${sql.join(personalKinds)}) or give_up_at > ${giveUpAt})
              then give_up_at else ${giveUpAt} end`,
            attempts: 0,
            ended_at: null,
            fault: null,
          })
          .where('content', '!=', forgotten)
        const chosen =
          typeof ids === 'string'
            ? dead.where('state', '=', ids)
            : dead
                .where('id', 'in', [...ids])
                .where('state', 'in', ['dead', 'waiting', 'held'])
                .where(eb =>
                  eb.or([
                    eb('state', '!=', 'waiting'),
                    eb('kind', 'not in', [...personalKinds]),
                    eb('give_up_at', '>=', now),
                  ]),
                )
        const count = Number((await chosen.executeTakeFirst()).numUpdatedRows)
        if (count > 0) await recordAudit(trx, { action: 'mail.retry', ...actOn(ids, count) })
        return count
      }),

    drop: (ids: ChosenDeliveries): Promise<number> =>
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

/** One email by its ID, or the number of emails. */
function actOn(ids: ChosenDeliveries, count: number) {
  const which = typeof ids === 'string' ? ids : (ids.length === 1 && ids[0]) || 'chosen'
  return { scope: 'board' as const, target: `mail:${which}` as const, after: { count } }
}
