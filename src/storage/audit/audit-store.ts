import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { AuditEntry, AuditFilter, AuditStore } from '../../audit/ports.ts'
import { actorKinds } from '../../core/async/acting.ts'
import { restoredKey } from '../database/server-history.ts'
import type { Database, Schema } from '../database/tables.ts'
import { databaseIdKey, metaOf } from '../setback/generation.ts'
import { lockHead, recordAudit, seal } from '../writing/record-audit.ts'
import { noteFailedSignIns } from './failed-sign-ins.ts'

const entryColumns = [
  ...(['scope', 'number', 'at', 'actor_kind as actorKind', 'actor_id as actorId', 'proof'] as const),
  ...(['action', 'target', 'before', 'after', 'request_id as requestId', 'prev', 'hash'] as const),
  'address',
] as const

export function createAuditStore({ writer, reader }: Database): AuditStore {
  const entries = (db: Kysely<Schema>, filter: AuditFilter) =>
    chosen(db.selectFrom('audit_entries').select(entryColumns), filter)

  return {
    list(scope, filter, before, limit) {
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

    read: (scope, filter, after, limit) =>
      entries(reader, filter)
        .where('scope', '=', scope)
        .where('number', '>', after)
        .orderBy('number')
        .limit(limit)
        .execute(),

    heads: scope =>
      reader
        .selectFrom('audit_heads')
        .select(['scope', 'number', 'hash'])
        .$if(scope !== undefined, query => query.where('scope', '=', scope ?? 0))
        .orderBy('scope')
        .execute(),

    async seals(scope) {
      const rows = await reader
        .selectFrom('audit_seals')
        .select(['month', 'first_number', 'last_number', 'prev', 'hash', 'dropped_at'])
        .where('scope', '=', scope)
        .orderBy('first_number')
        .execute()
      return rows.map(({ month, first_number, last_number, prev, hash, dropped_at }) => ({
        ...{ month, firstNumber: first_number, lastNumber: last_number, prev, hash },
        isDropped: dropped_at !== null,
      }))
    },

    record: act => writer.transaction().execute(trx => recordAudit(trx, act)),

    async namesOf(candidateIds) {
      if (candidateIds.length === 0) return new Map()
      const rows = await reader
        .selectFrom('candidates')
        .select(['id', 'email', 'first_name', 'last_name'])
        .where('id', 'in', candidateIds)
        .execute()
      return new Map(
        rows.map(({ id, email, first_name, last_name }) => [
          id,
          `${first_name} ${last_name}`.trim() || email,
        ]),
      )
    },

    async restoredAt() {
      const at = await metaOf(reader, restoredKey)
      return at === undefined ? undefined : Number(at)
    },

    databaseId: () => metaOf(reader, databaseIdKey),

    noteFailedSignIns: (least, now) => noteFailedSignIns({ reader, writer }, least, now),

    async expireAddresses(before, most) {
      const old = writer
        .selectFrom('audit_entries')
        .select(['scope', 'number'])
        .where('address', 'is not', null)
        .where('at', '<', before)
        .orderBy('at')
        .limit(most)
      const { numUpdatedRows } = await writer
        .updateTable('audit_entries')
        .set({ address: null })
        .where(({ eb, refTuple }) => eb(refTuple('scope', 'number'), 'in', old.$asTuple('scope', 'number')))
        .executeTakeFirst()
      return Number(numUpdatedRows)
    },

    async dropMonths(before, now) {
      const idle = await reader
        .selectFrom('audit_heads')
        .select('scope')
        .where('month', '<', before)
        .where('number', '>', 0)
        .orderBy('scope')
        .execute()
      // One by one: a transaction that holds a head waits for no other lock.
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
            ...{ action: 'audit.drop', scope: 'board', target: 'audit:0', after: { before, months } },
          })
        return months
      })
    },

    async removeDropped(since, most) {
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
        .limit(most)
      const { numDeletedRows } = await writer
        .deleteFrom('audit_entries')
        .where(({ eb, refTuple }) => eb(refTuple('scope', 'number'), 'in', gone.$asTuple('scope', 'number')))
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
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
