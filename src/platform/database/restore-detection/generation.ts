import { type Kysely, sql, type Transaction } from 'kysely'
import { newUuid } from '../../core/ids.ts'
import { getMeta, lockMeta, putMeta, putMetaIfAbsent } from '../meta.ts'
import { idNames, restoredKey } from '../server-history.ts'
import type { Dialect, Schema } from '../tables.ts'
import { type Ceilings, type Generation, noGeneration } from './place-markers.ts'

/** Key of the database ID, after which the place of its files is named: see src/platform/blobs/ownership-service.ts. */
export const databaseIdKey = 'database_id'
const generationKey = 'generation'
/** Work that remains after a database was restored: `all`, or `tombstones`. */
export const unreconciledKey = 'unsettled'
export type Unreconciled = 'all' | 'tombstones'

/** The newest come first: if only the files were restored, they may be some generations behind. */
const maxGenerations = 20

interface LockedGeneration {
  generations: Generation[]
  databaseId: string
}

/**
 * Until the end of the transaction, locks out every other process that reads or writes the markers beside the files.
 */
export async function lockGeneration(trx: Transaction<Schema>, dialect: Dialect): Promise<LockedGeneration> {
  await putMetaIfAbsent(trx, generationKey, '[]')
  const generations = await lockMeta(trx, dialect, generationKey)
  await putMetaIfAbsent(trx, databaseIdKey, newUuid())
  return {
    generations: JSON.parse(generations as string) as Generation[],
    databaseId: (await getMeta(trx, databaseIdKey)) as string,
  }
}

/** Gives the database its next generation, above that of its files. */
export async function raiseGeneration(
  trx: Transaction<Schema>,
  generations: readonly Generation[],
  marked: Generation = noGeneration,
): Promise<void> {
  const number = Math.max(marked.number, generations[0]?.number ?? 0) + 1
  const isKnown = marked.number === 0 || generations.some(({ name }) => name === marked.name)
  const next = [{ number, name: newUuid() }, ...(isKnown ? [] : [marked])]
  const kept = [...next, ...generations].slice(0, maxGenerations)
  await putMeta(trx, generationKey, JSON.stringify(kept))
}

/** Whether the files have markers of a generation that this database does not come from. */
export function isRestoredCopy(generations: readonly Generation[], marked: Generation): boolean {
  const oldest = generations.at(-1)?.number ?? 0
  // The files may be older than all recorded generations.
  return marked.number > 0 && marked.number >= oldest && !generations.some(({ name }) => name === marked.name)
}

export const unreconciledOf = (db: Kysely<Schema>) =>
  getMeta(db, unreconciledKey) as Promise<Unreconciled | undefined>

/** Keeps the remaining work of an earlier restore. */
export async function setUnreconciled(trx: Transaction<Schema>, what: Unreconciled): Promise<void> {
  if ((await unreconciledOf(trx)) !== 'all') await putMeta(trx, unreconciledKey, what)
}

/** Locks the row, so that two processes reconcile one after the other. */
export const takeUnreconciled = (trx: Transaction<Schema>, dialect: Dialect) =>
  lockMeta(trx, dialect, unreconciledKey) as Promise<Unreconciled | undefined>

export async function clearUnreconciled(trx: Transaction<Schema>, what: Unreconciled): Promise<void> {
  await trx.deleteFrom('meta').where('key', '=', unreconciledKey).where('value', '=', what).execute()
}

/** From now on, notifies followers that data they have read may be gone. */
export const noteRestored = (trx: Transaction<Schema>, now: number) => putMeta(trx, restoredKey, String(now))

/** More than the connections of all nodes together. */
const drawnMeanwhile = 1_000

/**
 * Raises every kind of ID to the ceiling, if it is below, and then by `by`. Call under the lock of the generation.
 * Other processes may draw IDs from PostgreSQL at the same time, and each waits for that lock with its first ID above
 * the ceiling: the sequence must not go back behind these IDs.
 */
export async function raiseAbove(
  trx: Transaction<Schema>,
  dialect: Dialect,
  ceilings: Ceilings,
  by: number,
): Promise<void> {
  for (const name of idNames()) {
    const last = await lastOf(trx, dialect, name)
    const raised = Math.max(last, ceilings[name] ?? 0) + by
    if (raised === last) continue
    if (dialect === 'postgres')
      await sql`select setval(${sql.lit(name)}, ${raised + drawnMeanwhile})`.execute(trx)
    else await sql`update counters set value = ${raised} where name = ${name}`.execute(trx)
  }
}

export async function lastIds(db: Kysely<Schema>, dialect: Dialect): Promise<Ceilings> {
  const last: Ceilings = {}
  for (const name of idNames()) last[name] = await lastOf(db, dialect, name)
  return last
}

/** The last ID drawn of a kind, committed or not. */
export async function lastOf(db: Kysely<Schema>, dialect: Dialect, name: string): Promise<number> {
  const query =
    dialect === 'postgres'
      ? sql<{ last: number }>`select case when is_called then last_value else last_value - 1 end as last
          from ${sql.table(name)}`
      : sql<{ last: number }>`select value as last from counters where name = ${name}`
  const { rows } = await query.execute(db)
  return (rows[0] as { last: number }).last
}
