import { randomUUID } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { type Load, measureWork, type Run } from './load.ts'
import type { Place } from './row-writer.ts'

type Value = string | number | null
type Row = Record<string, Value>

/** The rows of one submission, by table; the floor writes the same rows repeatedly. */
export interface SubmissionRows {
  applications: Row[]
  application_files: Row[]
  application_pieces: Row[]
  application_terms: Row[]
}

export interface BareSubmission {
  load: Load
  close(): Promise<void>
}

export interface BareSource {
  /** Folder of the bare files, on the same disk as the service's. */
  folder: string
  file: Uint8Array
  rows: SubmissionRows
  /** Any advertisers: each has its own ledger row. */
  advertiserId(): number
  connections: number
}

/** Far above the IDs that the service has assigned. */
const firstId = 1_000_000_000
const idColumns: Record<keyof SubmissionRows, string> = {
  applications: 'id',
  application_files: 'application_id',
  application_pieces: 'id',
  application_terms: 'application_id',
}
const ledger =
  'update advertiser_ledger set version = version + 1, last_submitted_at = $1 where advertiser_id = $2'

/** The least work that stores a submission: the file written and synced, its rows in one durable commit. */
export async function openBareSubmission(place: Place, source: BareSource): Promise<BareSubmission> {
  await mkdir(source.folder, { recursive: true })
  return 'file' in place ? openOnSqlite(place.file, source) : openOnPostgres(place.url, source)
}

let id = firstId

/** Each statement with its values, one per table, in the order in which the service writes. */
function statementsOf({ rows, advertiserId }: BareSource): [sql: string, values: Value[]][] {
  const owner = advertiserId()
  id += 1
  const inserts = Object.entries<Row[]>({ ...rows }).map(([table, tableRows]): [string, Value[]] => {
    const own = tableRows.map(
      (row: Row): Row => ({
        ...row,
        advertiser_id: owner,
        [idColumns[table as keyof SubmissionRows]]: id,
        // Unique, like the service's: an index of equal names would cost less.
        ...('blob' in row ? { blob: `20261115/00/${id}-${randomUUID()}` } : {}),
      }),
    )
    const values = own.flatMap(row => Object.values(row))
    const columns = Object.keys(own[0] ?? {})
    const places = own.map(
      (_, row) => `(${columns.map((_, at) => `$${row * columns.length + at + 1}`).join(', ')})`,
    )
    return [`insert into ${table} (${columns.join(', ')}) values ${places.join(', ')}`, values]
  })
  return [[ledger, [Date.now(), owner]], ...inserts]
}

async function writeFile({ folder, file }: BareSource): Promise<void> {
  const handle = await open(join(folder, randomUUID()), 'wx')
  await handle.write(file)
  await handle.sync()
  await handle.close()
}

/** All files at once; one commit after the other, because SQLite has one writer. */
async function openOnSqlite(file: string, source: BareSource): Promise<BareSubmission> {
  const db = new DatabaseSync(file, { timeout: 5_000 })
  db.exec('pragma synchronous = full; pragma foreign_keys = on; pragma journal_size_limit = 67108864')
  const prepared = new Map<string, ReturnType<typeof db.prepare>>()
  const prepare = (sql: string) => {
    const statement = prepared.get(sql) ?? db.prepare(sql.replace(/\$\d+/g, '?'))
    prepared.set(sql, statement)
    return statement
  }
  async function keepWriting(run: Run): Promise<void> {
    while (run.isRunning()) {
      await writeFile(source)
      db.exec('begin immediate')
      for (const [sql, values] of statementsOf(source)) prepare(sql).run(...values)
      db.exec('commit')
      run.onDone(0)
    }
  }
  return {
    load: options =>
      measureWork(run => Array.from({ length: source.connections }, () => keepWriting(run)), options),
    close: async () => db.close(),
  }
}

async function openOnPostgres(url: string, source: BareSource): Promise<BareSubmission> {
  const clients = Array.from({ length: source.connections }, () => new pg.Client(url))
  for (const client of clients) {
    // The query in progress reports the failure; without a listener a lost connection would end the process.
    client.on('error', () => {})
    await client.connect()
  }
  async function keepWriting(client: pg.Client, run: Run): Promise<void> {
    while (run.isRunning()) {
      await writeFile(source)
      await client.query('begin')
      for (const [text, values] of statementsOf(source)) {
        await client.query({ name: text.slice(0, 60), text, values })
      }
      await client.query('commit')
      run.onDone(0)
    }
  }
  return {
    load: options => measureWork(run => clients.map(client => keepWriting(client, run)), options),
    async close() {
      for (const client of clients) await client.end()
    },
  }
}
