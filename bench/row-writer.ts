import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/** The location of a database: the file of SQLite, or the address of PostgreSQL. */
export type Place = { file: string } | { url: string }

type Row = Record<string, string | number | null>

/** Writes rows beside a running server, as durably as the server itself would. */
export interface RowWriter {
  /** In one transaction; all rows have the same keys in the same order. */
  insert<R extends { [K in keyof R]?: string | number | null | undefined }>(
    table: string,
    rows: readonly R[],
  ): Promise<void>
  /** Runs the engine's own maintenance now, so that it does not start in the middle of a round. */
  settle(): Promise<void>
  close(): Promise<void>
}

export function openRowWriter(place: Place): Promise<RowWriter> {
  return 'file' in place ? openSqliteWriter(place.file) : openPostgresWriter(place.url)
}

async function openSqliteWriter(file: string): Promise<RowWriter> {
  const db = new DatabaseSync(file, { timeout: 5_000 })
  db.exec('pragma synchronous = full; pragma foreign_keys = on')
  return {
    async insert(table, rows) {
      const columns = Object.keys(rows[0] ?? {})
      const places = columns.map(() => '?').join(', ')
      const statement = db.prepare(`insert into ${table} (${columns.join(', ')}) values (${places})`)
      db.exec('begin immediate')
      for (const row of rows) statement.run(...Object.values(row as Row))
      db.exec('commit')
    },
    async settle() {
      db.exec('pragma wal_checkpoint(truncate)')
    },
    close: async () => db.close(),
  }
}

async function openPostgresWriter(url: string): Promise<RowWriter> {
  const client = new pg.Client(url)
  // The query in progress reports the failure; without a listener a lost connection would end the process.
  client.on('error', () => {})
  await client.connect()
  const written = new Set<string>()
  return {
    async insert(table, rows) {
      const columns = Object.keys(rows[0] ?? {}).join(', ')
      await client.query(
        `insert into ${table} (${columns})
         select ${columns} from json_populate_recordset(null::${table}, $1::json)`,
        [JSON.stringify(rows)],
      )
      written.add(table)
    },
    async settle() {
      for (const table of written) await client.query(`vacuum analyze ${table}`)
      written.clear()
      await client.query('checkpoint')
    },
    close: () => client.end(),
  }
}
