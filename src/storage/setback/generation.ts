import { type Kysely, sql, type Transaction } from 'kysely'
import { newUuid } from '../../core/ids.ts'
import type { IdName } from '../database/application-tables.ts'
import { idNames, restoredKey } from '../database/server-history.ts'
import type { Dialect, Schema } from '../database/tables.ts'
import { type Ceilings, type Generation, noGeneration } from './place-notes.ts'

/** Of the database, whose name the place of its files bears: see src/files/ownership-service.ts. */
export const databaseIdKey = 'database_id'
const generationKey = 'generation'
/** What is still to be done after a database was set back: `all`, or `tombstones`. */
export const unsettledKey = 'unsettled'
export type Unsettled = 'all' | 'tombstones'

/** The last ones, newest first: files that were restored alone may be some generations behind. */
const mostGenerations = 20

interface LockedGeneration {
  generations: Generation[]
  databaseId: string
}

/** Locks out every other process that reads or writes the marks beside the files, until the end of the transaction. */
export async function lockGeneration(trx: Transaction<Schema>, dialect: Dialect): Promise<LockedGeneration> {
  await putMeta(trx, generationKey, '[]', 'keep')
  const row = trx.selectFrom('meta').select('value').where('key', '=', generationKey)
  const { value } = await (dialect === 'postgres' ? row.forUpdate() : row).executeTakeFirstOrThrow()
  await putMeta(trx, databaseIdKey, newUuid(), 'keep')
  return {
    generations: JSON.parse(value) as Generation[],
    databaseId: (await metaOf(trx, databaseIdKey)) as string,
  }
}

/** The next generation of the database, after that of its files. */
export async function raiseGeneration(
  trx: Transaction<Schema>,
  generations: readonly Generation[],
  marked: Generation = noGeneration,
): Promise<void> {
  const number = Math.max(marked.number, generations[0]?.number ?? 0) + 1
  const isKnown = marked.number === 0 || generations.some(({ name }) => name === marked.name)
  const next = [{ number, name: newUuid() }, ...(isKnown ? [] : [marked])]
  const kept = [...next, ...generations].slice(0, mostGenerations)
  await putMeta(trx, generationKey, JSON.stringify(kept))
}

/** Whether the files have marks of a generation that this database does not come from. */
export function isSetBack(generations: readonly Generation[], marked: Generation): boolean {
  const oldest = generations.at(-1)?.number ?? 0
  // The files may be older than all that is kept.
  return marked.number > 0 && marked.number >= oldest && !generations.some(({ name }) => name === marked.name)
}

export async function metaOf(db: Kysely<Schema>, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst()
  return row?.value
}

async function putMeta(trx: Transaction<Schema>, key: string, value: string, known?: 'keep'): Promise<void> {
  await trx
    .insertInto('meta')
    .values({ key, value })
    .onConflict(conflict => {
      const same = conflict.column('key')
      return known === 'keep' ? same.doNothing() : same.doUpdateSet({ value })
    })
    .execute()
}

export const unsettledOf = (db: Kysely<Schema>) => metaOf(db, unsettledKey) as Promise<Unsettled | undefined>

/** What is left of an earlier setback is not forgotten. */
export async function setUnsettled(trx: Transaction<Schema>, what: Unsettled): Promise<void> {
  if ((await unsettledOf(trx)) !== 'all') await putMeta(trx, unsettledKey, what)
}

/** Locks it, so that two processes settle one after the other. */
export async function takeUnsettled(
  trx: Transaction<Schema>,
  dialect: Dialect,
): Promise<Unsettled | undefined> {
  const row = trx.selectFrom('meta').select('value').where('key', '=', unsettledKey)
  const found = await (dialect === 'postgres' ? row.forUpdate() : row).executeTakeFirst()
  return found?.value as Unsettled | undefined
}

export async function clearUnsettled(trx: Transaction<Schema>, what: Unsettled): Promise<void> {
  await trx.deleteFrom('meta').where('key', '=', unsettledKey).where('value', '=', what).execute()
}

/** From now on followers learn that what they have seen before may be gone. */
export const noteRestored = (trx: Transaction<Schema>, now: number) => putMeta(trx, restoredKey, String(now))

/** More than the connections of all nodes. */
const drawnMeanwhile = 1_000

/**
 * Raises every kind of ID to the ceiling, if it is below, and then by so many more. Call under the lock of the
 * generation. Other processes draw IDs from PostgreSQL meanwhile, and each of them waits for that lock with the first ID
 * above the ceiling: the sequence must not go back behind these.
 */
export async function raiseAbove(
  trx: Transaction<Schema>,
  dialect: Dialect,
  ceilings: Ceilings,
  by: number,
): Promise<void> {
  for (const name of idNames) {
    const last = await lastOf(trx, dialect, name)
    const raised = Math.max(last, ceilings[name]) + by
    if (raised === last) continue
    if (dialect === 'postgres')
      await sql`select setval(${sql.lit(name)}, ${raised + drawnMeanwhile})`.execute(trx)
    else await sql`update counters set value = ${raised} where name = ${name}`.execute(trx)
  }
}

export async function lastIds(db: Kysely<Schema>, dialect: Dialect): Promise<Ceilings> {
  const last: Partial<Ceilings> = {}
  for (const name of idNames) last[name] = await lastOf(db, dialect, name)
  return last as Ceilings
}

/** The last ID of a kind that was drawn, committed or not. */
export async function lastOf(db: Kysely<Schema>, dialect: Dialect, name: IdName): Promise<number> {
  const query =
    dialect === 'postgres'
      ? sql<{ last: number }>`select case when is_called then last_value else last_value - 1 end as last
          from ${sql.table(name)}`
      : sql<{ last: number }>`select value as last from counters where name = ${name}`
  const { rows } = await query.execute(db)
  return (rows[0] as { last: number }).last
}
