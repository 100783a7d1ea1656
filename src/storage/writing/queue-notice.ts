import type { CompiledQuery, Kysely } from 'kysely'
import { newUuid } from '../../core/ids.ts'
import type { Notice } from '../../model/notice.ts'
import type { NewDelivery } from '../../work/delivery-ports.ts'
import { compileOnce } from '../database/prepared-query.ts'
import type { Schema } from '../database/tables.ts'

const threeDaysMs = 3 * 86_400_000

const listeners = new Set<() => void>()

/** Calls the listener when this process queues a delivery, shortly before the commit; returns how to stop that. */
export function onQueued(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Queues emails in the transaction that causes them: none is lost once it has committed, and none is sent otherwise. */
export async function queueNotices(
  trx: Kysely<Schema>,
  notices: readonly Notice[],
  now: number,
): Promise<void> {
  await queueDeliveries(
    trx,
    notices.map(notice => deliveryOf(notice, now)),
    now,
  )
}

export function deliveryOf({ kind, ...content }: Notice, now: number, id = newUuid()): NewDelivery {
  return { id, kind, content: JSON.stringify(content), giveUpAt: now + threeDaysMs }
}

export async function queueDeliveries(
  trx: Kysely<Schema>,
  deliveries: readonly NewDelivery[],
  now: number,
): Promise<void> {
  if (deliveries.length === 0) return
  const rows = deliveries.map(({ id, kind, content, giveUpAt }) => ({
    ...{ id, kind, content, give_up_at: giveUpAt },
    state: 'waiting' as const,
    due_at: now,
    created_at: now,
  }))
  const [row] = rows
  if (rows.length === 1 && row !== undefined) await trx.executeQuery(insertOne(trx)(row))
  else await trx.insertInto('deliveries').values(rows).execute()
  for (const listener of listeners) listener()
}

type Row = Pick<
  Schema['deliveries'],
  'id' | 'kind' | 'content' | 'give_up_at' | 'state' | 'due_at' | 'created_at'
>

/** By database: every application sent here queues one, and building the statement takes longer than running it. */
const inserts = new WeakMap<object, (row: Row) => CompiledQuery>()

function insertOne(trx: Kysely<Schema>): (row: Row) => CompiledQuery {
  const { adapter } = trx.getExecutor()
  const known = inserts.get(adapter)
  if (known !== undefined) return known
  const insert = compileOnce((row: Row) =>
    trx.insertInto('deliveries').values({
      id: row.id,
      kind: row.kind,
      content: row.content,
      give_up_at: row.give_up_at,
      state: row.state,
      due_at: row.due_at,
      created_at: row.created_at,
    }),
  )
  inserts.set(adapter, insert)
  return insert
}
