import { DatabaseSync } from 'node:sqlite'
import type { StoredBlob } from '../blobs/ports.ts'
import type { SnapshotFacts } from './ports.ts'

/** A copy of the database in one SQLite file, from either engine. */

/** In `meta`: marks this file as a copy, which must not serve as it is. */
export const backupMarkerKey = 'backup'

/**
 * Rows that mean nothing in a copy: processes at work, and counts of calls within this minute. The same applies to the
 * server's history.
 */
export const passingTables = ['leases', 'nodes', 'rate_counts']

/** Enough to show the kind of damage. */
const maxFaults = 5

/** Turns a copy of a whole database into part of a set. */
export function markCopy(path: string, madeAt: number): void {
  withHandle(path, {}, handle => {
    // A power failure costs nothing here: an unfinished file is removed in any case. The copy of a file with a log has
    // none.
    handle.exec('pragma journal_mode = delete; pragma synchronous = off; pragma secure_delete = on')
    const tables = tablesOf(handle).filter(table => passingTables.includes(table))
    for (const table of tables) handle.exec(`delete from ${table}`)
    handle.exec("delete from meta where key = 'history'")
    handle
      .prepare(
        'insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
      )
      .run(backupMarkerKey, new Date(madeAt).toISOString())
  })
}

/** Reads the whole file: slow, and blocks. */
export function describeCopy(path: string): SnapshotFacts {
  return withHandle(path, { readOnly: true }, handle => {
    const faults = faultsOf(handle)
    // The content of a damaged file is not reliable.
    if (faults.length > 0) return { schema: [], tables: {}, ids: {}, databaseId: null, faults }
    const tables = tablesOf(handle).map((table): [string, number] => {
      const { count } = handle.prepare(`select count(*) as count from "${table}"`).get() as { count: number }
      return [table, count]
    })
    const ids = handle.prepare('select name, value from counters order by name').all()
    const schema = handle.prepare('select name from schema_migrations order by name').all()
    const id = handle.prepare("select value from meta where key = 'database_id'").get()
    return {
      schema: schema.map(({ name }) => String(name)),
      tables: Object.fromEntries(tables),
      ids: Object.fromEntries(ids.map(({ name, value }) => [String(name), Number(value)])),
      databaseId: id === undefined ? null : String(id['value']),
      faults,
    }
  })
}

/** Excludes SQLite's own tables. */
export const tablesOf = (handle: DatabaseSync): string[] =>
  handle
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name")
    .all()
    .map(({ name }) => String(name))

function faultsOf(handle: DatabaseSync): string[] {
  try {
    const lines = handle.prepare(`pragma integrity_check(${maxFaults})`).all()
    const found = lines.flatMap(line => Object.values(line).map(String)).filter(line => line !== 'ok')
    if (found.length > 0) return found
    return handle
      .prepare(
        `select "table" || ' has ' || count(*) || ' rows without their row in ' || parent as fault
         from pragma_foreign_key_check group by "table", parent limit ${maxFaults}`,
      )
      .all()
      .map(({ fault }) => String(fault))
  } catch (error) {
    return [(error as Error).message]
  }
}

/** Opens a copy to read the files to which rows of these tables refer, ordered by name. */
export function openCopy(path: string, fileTables: readonly string[]) {
  const handle = new DatabaseSync(path, { readOnly: true })
  const parts = fileTables.map(
    table =>
      `select * from (select distinct blob, sha256, size from ${table} where blob > ?1 order by blob limit ?2)`,
  )
  const statement = handle.prepare(
    `select blob, sha256, size from (${parts.join(' union ')}) order by blob limit ?2`,
  )
  return {
    files: (after: string, limit: number) => statement.all(after, limit) as unknown as StoredBlob[],
    close: () => handle.close(),
  }
}

export function withHandle<T>(
  path: string,
  options: { readOnly?: boolean },
  use: (handle: DatabaseSync) => T,
): T {
  const handle = new DatabaseSync(path, { timeout: 5_000, ...options })
  try {
    return use(handle)
  } finally {
    handle.close()
  }
}
