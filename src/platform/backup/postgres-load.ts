import { DatabaseSync } from 'node:sqlite'
import { type Kysely, sql } from 'kysely'
import type { Database, Schema } from '../database/tables.ts'
import type { OnProgress } from './ports.ts'

/** Bytes sent together. */
const batchBytes = 4 * 1024 * 1024

/** Belongs to the server, not the data: a restored database has the history of the target server. */
const ownMeta = ['history']

/**
 * Copies all rows of an SQLite file to the empty tables of a PostgreSQL schema. Foreign keys and indexes are dropped
 * first and recreated at the end, which checks all rows together.
 */
export async function loadPostgres(
  { migrator: db }: Database,
  /** Parent tables first. */
  tables: readonly (keyof Schema)[],
  path: string,
  idsAtLeast: Record<string, number>,
  maxRows: number,
  onProgress: OnProgress,
): Promise<void> {
  const handle = new DatabaseSync(path, { readOnly: true })
  try {
    const counts = tables.map(table => countOf(handle, table))
    const total = counts.reduce((sum, count) => sum + count, 0)
    const restoreIndexes = await dropIndexes(db)
    await sql`delete from meta where key <> all(${ownMeta})`.execute(db)
    let done = 0
    for (const [index, table] of tables.entries()) {
      await db.transaction().execute(async trx => {
        for await (const rows of loadTable(trx, handle, table, maxRows)) {
          done += rows
          onProgress('loading', done, total)
        }
      })
      await assertCount(db, table, (counts[index] ?? 0) + (table === 'meta' ? 1 : 0))
    }
    await restoreIndexes()
    for (const { name, value } of handle.prepare('select name, value from counters').all()) {
      const last = Math.max(Number(value), idsAtLeast[String(name)] ?? 0)
      // The next ID follows `last`; a sequence cannot be set to zero.
      await sql`select setval(${sql.lit(String(name))}, greatest(${last}::bigint, 1), ${last > 0})`.execute(
        db,
      )
    }
    await sql`analyze`.execute(db)
  } finally {
    handle.close()
  }
}

const countOf = (handle: DatabaseSync, table: string) =>
  Number(handle.prepare(`select count(*) as count from "${table}"`).get()?.['count'])

async function assertCount(db: Kysely<Schema>, table: keyof Schema, expected: number): Promise<void> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db)
  if (rows[0]?.count !== expected)
    throw new Error(`${table} has ${rows[0]?.count} rows instead of ${expected}`)
}

async function* loadTable(
  trx: Kysely<Schema>,
  handle: DatabaseSync,
  table: keyof Schema,
  maxRows: number,
): AsyncGenerator<number> {
  const columns = handle.prepare(`pragma table_info("${table}")`).all()
  const names = columns.map(({ name }) => sql.ref(String(name)))
  const types = columns.map(({ type }) =>
    sql.raw(String(type).toLowerCase() === 'integer' ? 'bigint[]' : 'text[]'),
  )
  const read = handle.prepare(`select ${columns.map(({ name }) => `"${name}"`).join()} from "${table}"`)
  read.setReturnArrays(true)
  let batch: unknown[][] = []
  let bytes = 0
  const send = async () => {
    const arrays = columns.map((_, at) => sql`${batch.map(row => row[at])}::${types[at] as never}`)
    await sql`insert into ${sql.table(table)} (${sql.join(names)})
      select * from unnest(${sql.join(arrays)})`.execute(trx)
    const sent = batch.length
    batch = []
    bytes = 0
    return sent
  }
  for (const row of read.iterate() as unknown as Iterable<(string | number | null)[]>) {
    batch.push(row)
    for (const value of row) bytes += typeof value === 'string' ? value.length : 8
    if (batch.length >= maxRows || bytes > batchBytes) yield await send()
  }
  if (batch.length > 0) yield await send()
}

/** Returns a function that recreates them. */
async function dropIndexes(db: Kysely<Schema>): Promise<() => Promise<void>> {
  const { rows: keys } = await sql<{ drop: string; make: string }>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
    from pg_constraint
    where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace`.execute(db)
  const { rows: indexes } = await sql<{ drop: string; make: string }>`
    select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as make
    from pg_index join pg_class on pg_class.oid = indexrelid
    where relnamespace = current_schema()::regnamespace and not relispartition
      and not exists (select 1 from pg_constraint where conindid = indexrelid)`.execute(db)
  for (const { drop } of [...keys, ...indexes]) await sql.raw(drop).execute(db)
  return async () => {
    for (const { make } of [...indexes, ...keys]) await sql.raw(make).execute(db)
  }
}
