import { sql, type Transaction } from 'kysely'
import { drawnFrom, type IdName } from './server-history.ts'
import type { Database, Schema } from './tables.ts'

/** What is needed to draw IDs. */
export type IdSource = Pick<Database, 'dialect' | 'history'>

/** The next number of a kind: a sequence on PostgreSQL, a counter on SQLite, where there is one writer anyway. */
export async function nextId(trx: Transaction<Schema>, { history }: IdSource, name: IdName): Promise<number> {
  if (history === undefined) return (await nextOfCounter(trx, name)).id
  const known = await history.known(trx)
  const { id, server } = await nextOfSequence(trx, name)
  if (server === known) return id
  await history.settle(trx)
  return (await nextOfSequence(trx, name)).id
}

async function nextOfCounter(trx: Transaction<Schema>, name: IdName) {
  const { rows } = await sql<{
    id: number
  }>`update counters set value = value + 1 where name = ${sql.lit(name)} returning value as id`.execute(trx)
  return rows[0] as { id: number }
}

async function nextOfSequence(trx: Transaction<Schema>, name: IdName) {
  const { rows } = await sql<{
    id: number
    server: string
  }>`select nextval(${sql.lit(name)}) as id, ${drawnFrom} as server`.execute(trx)
  return rows[0] as { id: number; server: string }
}
