import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Selectable } from 'kysely'
import pg from 'pg'
import type { Schema } from '../src/storage/schema.ts'

type BulkTable =
  | 'applications'
  | 'application_files'
  | 'application_screens'
  | 'application_pieces'
  | 'application_terms'
export type Rows = { [T in BulkTable]: Selectable<Schema[T]>[] }

interface Filled {
  lastId: number
  lastSubmittedAt: number
}

/** Puts many rows into the tables at once, which the service itself never does. */
export interface BulkWriter {
  /** One transaction. All rows of a table have the same keys in the same order. */
  write(rows: Rows): Promise<void>
  /** Brings counters and statistics to where normal writing would have brought them. */
  finish(filled: Filled): Promise<void>
  close(): Promise<void>
}

export function openBulkWriter(settings: Record<string, string>): Promise<BulkWriter> {
  const url = settings['DATABASE_URL']
  return url === undefined ? openSqliteWriter(settings['DATA_DIR'] ?? '') : openPostgresWriter(url)
}

async function openSqliteWriter(folder: string): Promise<BulkWriter> {
  const db = new DatabaseSync(join(folder, 'dossier.db'))
  db.exec('pragma synchronous = off; pragma foreign_keys = off; pragma cache_size = -262144')
  const statements = new Map<string, StatementSync>()
  const insertOf = (table: string, columns: string[]) => {
    let statement = statements.get(table)
    if (statement === undefined) {
      const places = columns.map(() => '?').join(', ')
      statement = db.prepare(`insert into ${table} (${columns.join(', ')}) values (${places})`)
      statements.set(table, statement)
    }
    return statement
  }
  return {
    async write(rows) {
      db.exec('begin')
      for (const [table, tableRows] of Object.entries(rows)) {
        for (const row of tableRows) insertOf(table, Object.keys(row)).run(...Object.values(row))
      }
      db.exec('commit')
    },
    async finish({ lastId, lastSubmittedAt }) {
      db.prepare('update counters set value = ?').run(lastId)
      db.prepare('update advertiser_ledger set last_submitted_at = ?').run(lastSubmittedAt)
      db.exec('pragma synchronous = full; pragma wal_checkpoint(truncate)')
    },
    close: async () => db.close(),
  }
}

async function openPostgresWriter(url: string): Promise<BulkWriter> {
  const client = new pg.Client(url)
  // The query under way fails by itself; without a listener a lost connection would end the process.
  client.on('error', () => {})
  await client.connect()
  // No foreign keys to look up for each row, which are right by construction, and no waiting for the disk.
  await client.query('set session_replication_role = replica; set synchronous_commit = off')
  await client.query('alter system set fsync = off')
  await client.query('select pg_reload_conf()')
  let underWay: Promise<unknown> = Promise.resolve()
  return {
    async write(rows) {
      // The next rows are made while the server still takes these in.
      await underWay
      underWay = copyAll(client, rows)
      // Told by the next await; until then it is nobody's yet.
      underWay.catch(() => {})
    },
    async finish({ lastId, lastSubmittedAt }) {
      await underWay
      await client.query("select setval('application_ids', $1)", [lastId])
      await client.query('update advertiser_ledger set last_submitted_at = $1', [lastSubmittedAt])
      // What autovacuum would do soon, done now, so that it does not do it in the middle of a round.
      await client.query('vacuum analyze')
      await client.query('alter system reset fsync')
      await client.query('select pg_reload_conf()')
      await client.query('checkpoint')
    },
    close: () => client.end(),
  }
}

async function copyAll(client: pg.Client, rows: Rows): Promise<void> {
  await client.query('begin')
  for (const [table, tableRows] of Object.entries(rows)) {
    const [first] = tableRows
    if (first === undefined) continue
    let text = ''
    for (const row of tableRows) text += `${Object.values(row).map(copyValue).join('\t')}\n`
    const copy = new CopyIn(`copy ${table} (${Object.keys(first).join(', ')}) from stdin`, text)
    client.query(copy)
    await copy.done
  }
  await client.query('commit')
}

const copyEscapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function copyValue(value: string | number | null): string {
  if (value === null) return '\\N'
  return typeof value === 'number'
    ? String(value)
    : value.replace(/[\\\t\n\r]/g, character => copyEscapes[character] ?? character)
}

interface CopyConnection {
  query(sql: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** COPY ... FROM STDIN, which pg leaves to whoever wants it: twice as fast as the fastest INSERT. */
class CopyIn {
  readonly done: Promise<void>
  readonly #sql: string
  readonly #text: string
  #resolve: () => void = () => {}
  #reject: (error: Error) => void = () => {}

  constructor(sql: string, text: string) {
    this.#sql = sql
    this.#text = text
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  submit(connection: unknown): void {
    ;(connection as CopyConnection).query(this.#sql)
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(Buffer.from(this.#text))
    connection.endCopyFrom()
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#resolve()
  }

  handleError(error: Error): void {
    this.#reject(error)
  }
}
