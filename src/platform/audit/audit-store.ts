import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { actorKinds } from '../core/async/audit-context.ts'
import type { EpochMs } from '../core/clock.ts'
import { getMeta } from '../database/meta.ts'
import { databaseIdKey } from '../database/restore-detection/generation.ts'
import { restoredKey } from '../database/server-history.ts'
import type { Database, Schema } from '../database/tables.ts'
import type { Act } from './acts.ts'
import { hashSeals } from './chain.ts'
import type { AuditEntry, AuditFilter, AuditPosition, ChainHead, Seal } from './ports.ts'
import { lockHead, recordAudit, seal } from './record-audit-store.ts'

const entryColumns = [
  ...(['scope', 'number', 'at', 'actor_kind as actorKind', 'actor_id as actorId', 'proof'] as const),
  ...(['action', 'target', 'before', 'after', 'request_id as requestId', 'prev', 'hash'] as const),
  'address',
] as const

export type AuditStore = ReturnType<typeof createAuditStore>

export function createAuditStore({ writer, reader }: Database) {
  const entries = (db: Kysely<Schema>, filter: AuditFilter) =>
    chosen(db.selectFrom('audit_entries').select(entryColumns), filter)

  return {
    /** Newest first; of one chain, or of all chains (undefined). */
    list(
      scope: number | undefined,
      filter: AuditFilter,
      before: AuditPosition | undefined,
      limit: number,
    ): Promise<AuditEntry[]> {
      const found = entries(reader, filter).limit(limit)
      if (scope !== undefined)
        return found
          .where('scope', '=', scope)
          .$if(before !== undefined, query => query.where('number', '<', before?.number ?? 0))
          .orderBy('number', 'desc')
          .execute()
      return found
        .$if(before !== undefined, query =>
          query.where(({ eb, refTuple, tuple }) =>
            eb(
              refTuple('at', 'scope', 'number'),
              '<',
              tuple(before?.at ?? 0, before?.scope ?? 0, before?.number ?? 0),
            ),
          ),
        )
        .orderBy('at', 'desc')
        .orderBy('scope', 'desc')
        .orderBy('number', 'desc')
        .execute()
    },

    /** Entries of one chain, oldest first, after this number. */
    read: (scope: number, filter: AuditFilter, after: number, limit: number): Promise<AuditEntry[]> =>
      entries(reader, filter)
        .where('scope', '=', scope)
        .where('number', '>', after)
        .orderBy('number')
        .limit(limit)
        .execute(),

    /** Ordered by scope. */
    heads: (scope?: number): Promise<ChainHead[]> =>
      reader
        .selectFrom('audit_heads')
        .select(['scope', 'number', 'hash'])
        .$if(scope !== undefined, query => query.where('scope', '=', scope ?? 0))
        .orderBy('scope')
        .execute(),

    /** Scopes of all entries and seals, with or without a head. */
    async scopes(): Promise<number[]> {
      const rows = await reader
        .selectFrom('audit_entries')
        .select('scope')
        .union(reader.selectFrom('audit_seals').select('scope'))
        .execute()
      return rows.map(({ scope }) => scope)
    },

    /** Oldest first. */
    async seals(scope: number): Promise<Seal[]> {
      const rows = await reader
        .selectFrom('audit_seals')
        .select(['month', 'first_number', 'last_number', 'prev', 'hash', 'dropped_at'])
        .where('scope', '=', scope)
        .orderBy('first_number')
        .execute()
      return rows.map(({ month, first_number, last_number, prev, hash, dropped_at }) => ({
        month,
        firstNumber: first_number,
        lastNumber: last_number,
        prev,
        hash,
        isDropped: dropped_at !== null,
      }))
    },

    /** Seals of all chains, by scope and number. */
    droppedSeals: (): Promise<(Seal & { scope: number })[]> => droppedSeals(reader),

    /** For acts that change no other data, such as an export. */
    record: (act: Act): Promise<void> => writer.transaction().execute(trx => recordAudit(trx, act)),

    /** When the database was last restored. */
    async restoredAt(): Promise<EpochMs | undefined> {
      const at = await getMeta(reader, restoredKey)
      return at === undefined ? undefined : Number(at)
    },

    databaseId: (): Promise<string | undefined> => getMeta(reader, databaseIdKey),

    async expireAddresses(before: EpochMs, max: number): Promise<number> {
      const old = writer
        .selectFrom('audit_entries')
        .select(['scope', 'number'])
        .where('address', 'is not', null)
        .where('at', '<', before)
        .orderBy('at')
        .limit(max)
      const { numUpdatedRows } = await writer
        .updateTable('audit_entries')
        .set({ address: null })
        .where(({ eb, refTuple }) => eb(refTuple('scope', 'number'), 'in', old.$asTuple('scope', 'number')))
        .executeTakeFirst()
      return Number(numUpdatedRows)
    },

    /**
     * Seals all months before `before` (YYYY-MM), marks them as dropped and audits that; returns the number of seals.
     */
    async dropMonths(before: string, now: EpochMs): Promise<number> {
      const idle = await reader
        .selectFrom('audit_heads')
        .select('scope')
        .where('month', '<', before)
        .where('number', '>', 0)
        .orderBy('scope')
        .execute()
      // One by one: a transaction that holds a head must not wait for another lock.
      for (const { scope } of idle) {
        await writer.transaction().execute(async trx => {
          const head = await lockHead(trx, scope, now)
          if (head.month < before) await seal(trx, head)
        })
      }
      return writer.transaction().execute(async trx => {
        const { numUpdatedRows } = await trx
          .updateTable('audit_seals')
          .set({ dropped_at: now })
          .where('dropped_at', 'is', null)
          .where('month', '<', before)
          .executeTakeFirst()
        const months = Number(numUpdatedRows)
        if (months > 0)
          await recordAudit(trx, {
            action: 'audit.drop',
            scope: 'board',
            target: 'audit:0',
            after: { before, months, seals: hashSeals(await droppedSeals(trx)) },
          })
        return months
      })
    },

    /** Removes entries of months marked after that time. */
    async removeDropped(since: EpochMs, max: number): Promise<number> {
      const gone = writer
        .selectFrom('audit_seals as seal')
        .innerJoin('audit_entries as entry', join =>
          join
            .onRef('entry.scope', '=', 'seal.scope')
            .onRef('entry.number', '>=', 'seal.first_number')
            .onRef('entry.number', '<=', 'seal.last_number'),
        )
        .select(['entry.scope', 'entry.number'])
        .where('seal.dropped_at', '>=', since)
        .limit(max)
      const { numDeletedRows } = await writer
        .deleteFrom('audit_entries')
        .where(({ eb, refTuple }) => eb(refTuple('scope', 'number'), 'in', gone.$asTuple('scope', 'number')))
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}

async function droppedSeals(db: Kysely<Schema>) {
  const rows = await db
    .selectFrom('audit_seals')
    .select(['scope', 'month', 'first_number as firstNumber', 'last_number as lastNumber', 'prev', 'hash'])
    .where('dropped_at', 'is not', null)
    .orderBy('scope')
    .orderBy('first_number')
    .execute()
  return rows.map(row => ({ ...row, isDropped: true }))
}

type Query = SelectQueryBuilder<Schema, 'audit_entries', AuditEntry>

function chosen(query: Query, { from, to, actor, action }: AuditFilter): Query {
  const kind = actorKinds.find(each => each === actor)
  return query
    .$if(from !== undefined, some => some.where('at', '>=', from ?? 0))
    .$if(to !== undefined, some => some.where('at', '<', to ?? 0))
    .$if(kind !== undefined, some => some.where('actor_kind', '=', kind ?? 'person'))
    .$if(actor !== undefined && kind === undefined, some => some.where('actor_id', '=', actor ?? ''))
    .$if(action?.includes('.') === true, some => some.where('action', '=', action ?? ''))
    .$if(action?.includes('.') === false, some =>
      some.where(sql<boolean>`action >= ${`${action}.`} and action < ${`${action}/`}`),
    )
}
