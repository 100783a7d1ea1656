import type { CompiledQuery, Kysely } from 'kysely'
import { compileOnce } from '../database/prepared-query.ts'
import type { Schema } from '../database/tables.ts'
import type { NewDelivery } from './delivery-ports.ts'

const listeners = new Set<() => void>()

/**
 * Calls the listener when this process queues a delivery, shortly before the commit; returns a function that removes
 * the listener.
 */
export function onQueued(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export async function queueDeliveries(
  trx: Kysely<Schema>,
  deliveries: readonly NewDelivery[],
  now: number,
): Promise<void> {
  if (deliveries.length === 0) return
  const rows = deliveries.map(({ id, kind, content, giveUpAt, dueAt = now }) => ({
    id,
    kind,
    content,
    give_up_at: giveUpAt,
    state: 'waiting' as const,
    due_at: dueAt,
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

/** Per database: every application sent here queues one, and building the statement takes longer than running it. */
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
