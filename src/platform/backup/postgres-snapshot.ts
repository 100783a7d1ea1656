import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { Migrations } from '../database/migrating/migration.ts'
import { migrationTable } from '../database/migrating/record.ts'
import { int8AsNumber } from '../database/postgres/session.ts'
import { openSqlite } from '../database/sqlite/sqlite.ts'
import type { CopierPace } from './copier-pace.ts'
import { migrateCopy } from './reconcile-copy.ts'
import { passingTables, tablesOf } from './snapshot-file.ts'

/** PostgreSQL has sequences instead of counters. */
const notRead = ['counters', ...passingTables]

/**
 * Writes all rows of a PostgreSQL database, at one moment, to a new SQLite file. The tables of both engines are the
 * same. It uses one transaction, so that the copy is consistent while others write, and the order of the keys, in which
 * SQLite stores the rows of most tables.
 */
export async function copyPostgres(
  url: string,
  path: string,
  released: Migrations,
  now: number,
  pace: CopierPace,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  const client = new pg.Client({ connectionString: url, types: int8AsNumber, application_name: 'dossier' })
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read, read only')
    await client.query(
      `set local statement_timeout = 0; set local lock_timeout = 0;
       set local idle_in_transaction_session_timeout = 0`,
    )
    const database = await openSqlite(path, 0)
    await migrateCopy(database, await migrationsOf(client, released), now).finally(database.close)
    const handle = new DatabaseSync(path)
    const file = openSync(path, 'r')
    try {
      await copyTables(client, handle, (done, total) => {
        onProgress(done, total)
        pace.rest(file)
      })
    } finally {
      handle.close()
      closeSync(file)
    }
    await client.query('commit')
  } finally {
    await client.end()
  }
}

/** The copy has the tables of the original, which may be waiting for a migration. */
async function migrationsOf(client: pg.Client, released: Migrations): Promise<Migrations> {
  const { rows } = await client.query<{ name: string }>(`select name from ${migrationTable} order by name`)
  const unknown = rows.filter(({ name }) => !Object.hasOwn(released, name)).map(({ name }) => name)
  if (unknown.length > 0)
    throw new Error(`it has migrations of a newer version, which must copy it: ${unknown.join(', ')}`)
  return Object.fromEntries(
    Object.entries(released).filter(([known]) => rows.some(({ name }) => name === known)),
  )
}

async function copyTables(
  client: pg.Client,
  handle: DatabaseSync,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  // An incomplete file is discarded anyway. Foreign keys are checked once, at the end, and indexes created once. A log
  // would write everything twice; node:sqlite does not allow a mode without any journal, and this one keeps only pages
  // that existed.
  handle.exec('pragma journal_mode = memory; pragma synchronous = off; pragma foreign_keys = off')
  handle.exec('pragma cache_size = -16384; pragma temp_store = file')
  const indexes = handle
    .prepare("select name, sql from sqlite_schema where type = 'index' and sql is not null")
    .all()
  for (const { name } of indexes) handle.exec(`drop index "${name}"`)
  const tables = tablesOf(handle).filter(table => !notRead.includes(table))
  const counts = await client.query(
    tables.map(table => `select count(*) as count from "${table}"`).join(' union all '),
  )
  const total = counts.rows.reduce((sum, { count }) => sum + count, 0)
  let done = 0
  for (const table of tables) {
    handle.exec(`begin; delete from "${table}"`)
    await copyTable(client, handle, table, () => {
      done += 1
      if (done % 100 === 0) onProgress(done, total)
    })
    handle.exec('commit')
  }
  if (done !== total) throw new Error(`${done} of ${total} rows were read`)
  await copyIds(client, handle)
  for (const { sql } of indexes) handle.exec(String(sql))
}

/**
 * Writes rows as they arrive, so that only the rows of one network packet are in memory, however large they are: while
 * a row is written, no further packet is read.
 */
function copyTable(client: pg.Client, handle: DatabaseSync, table: string, onRow: () => void): Promise<void> {
  const columns = handle.prepare(`pragma table_info("${table}")`).all()
  const names = columns.map(({ name }) => `"${name}"`).join()
  const keys = columns
    .filter(({ pk }) => Number(pk) > 0)
    .toSorted((a, b) => Number(a['pk']) - Number(b['pk']))
  const order = keys.map(({ name }) => `"${name}"`).join()
  const insert = handle.prepare(`insert into "${table}" (${names}) values (${columns.map(() => '?').join()})`)
  const text = `select ${names} from "${table}" order by ${order}`
  return new Promise((resolve, reject) => {
    let failure: unknown
    const query = new pg.Query({ text, rowMode: 'array' } as pg.QueryConfig)
    query.on('row', row => {
      // An exception here would leave the connection in mid-result.
      if (failure !== undefined) return
      try {
        insert.run(...(row as unknown as (string | number | null)[]))
        onRow()
      } catch (error) {
        failure = error
      }
    })
    query.on('error', reject)
    query.on('end', () => (failure === undefined ? resolve() : reject(failure)))
    client.query(query)
  })
}

/** Sequences are not part of the snapshot: they are read after it, so they have passed every ID in it. */
async function copyIds(client: pg.Client, handle: DatabaseSync): Promise<void> {
  const update = handle.prepare('update counters set value = ? where name = ?')
  for (const { name } of handle.prepare('select name from counters').all()) {
    const { rows } = await client.query(
      `select case when is_called then last_value else last_value - 1 end as last from "${name}"`,
    )
    update.run(rows[0].last, String(name))
  }
}
