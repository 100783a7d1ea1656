import { sql, type Transaction } from 'kysely'
import { drawnFrom } from '../../platform/database/server-history.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'

/** Kinds of IDs that are never used twice, by their counter or sequence. */
export const idKinds = ['application_ids', 'job_ad_ids', 'screen_ids'] as const
export type IdName = (typeof idKinds)[number]

/** The parts of the database required to draw IDs. */
export type IdSource = Pick<Database, 'dialect' | 'history' | 'ids'>

/**
 * Draws the next ID of a kind: from a sequence on PostgreSQL, from a counter on SQLite, which has one writer anyway.
 * `drawn`: drawn by an earlier statement, from a known server.
 */
export async function nextId(
  trx: Transaction<Schema>,
  source: IdSource,
  name: IdName,
  drawn?: number,
): Promise<number> {
  const id = drawn ?? (await draw(trx, source, name))
  if (source.ids !== undefined && !source.ids.isCovered(name, id)) await source.ids.cover(trx, name, id)
  return id
}

async function draw(trx: Transaction<Schema>, { history, ids }: IdSource, name: IdName): Promise<number> {
  if (history === undefined) return (await nextOfCounter(trx, name)).id
  const known = await history.known(trx)
  const { id, server } = await nextOfSequence(trx, name)
  if (server === known) return id
  await history.reconcile(trx)
  await ids?.recheck(trx)
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
