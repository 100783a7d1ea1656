import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pg from 'pg'
import { type Block, type Calendar, expansions, keyOf, type Tongue, templateOf } from './expansion.ts'
import type { ApplicationTable, Rows } from './templates.ts'

/** Writes very many applications to a database at once, which the service itself never does. */
export interface BulkWriter {
  make(blocks: readonly Block[]): Promise<void>
  /** Sets counters and statistics as normal writes would have. */
  finish(lastId: number): Promise<void>
  close(): Promise<void>
}

export function openBulkWriter(
  settings: Record<string, string>,
  templates: Rows,
  calendar: Calendar,
): Promise<BulkWriter> {
  const url = settings['DATABASE_URL']
  return url === undefined
    ? openSqliteWriter(settings['DATA_DIR'] ?? '', templates, calendar)
    : openPostgresWriter(url, templates, calendar)
}

const tablesOf = (rows: Rows) => Object.keys(rows) as ApplicationTable[]
const lastDate = ({ startMs, stepMs }: Calendar, lastId: number) => startMs + lastId * stepMs

const sqliteTongue: Tongue = {
  numbers: (first, last) => `(with recursive own(id) as
    (select ${first} union all select id + 1 from own where id < ${last}) select id from own) n`,
  aestIso: ms => `strftime('%Y-%m-%dT%H:%M:%S.000+10:00', (${ms} + 36000000) / 1000, 'unixepoch')`,
  text: number => `cast(${number} as text)`,
}

/** A tenth of them is unread. */
const recount = `update applications set status = 'new' where id % 10 = 3;
  delete from application_counts;
  insert into application_counts (advertiser_id, job_ad_id, status, applications)
    select advertiser_id, coalesce(job_ad_id, 0), status, count(*) from applications
    group by advertiser_id, coalesce(job_ad_id, 0), status`

async function openSqliteWriter(folder: string, templates: Rows, calendar: Calendar): Promise<BulkWriter> {
  const db = new DatabaseSync(join(folder, 'dossier.db'))
  // The data can be recreated, so there is no write-ahead log and no waiting for the disk.
  db.exec('pragma journal_mode = off; pragma synchronous = off; pragma foreign_keys = off')
  db.exec('pragma cache_size = -262144; pragma temp_store = memory')
  for (const table of tablesOf(templates)) {
    db.exec(`create temp table ${templateOf(table)} as select * from ${table} where false`)
    const columns = Object.keys(templates[table][0] ?? {})
    const places = columns.map(() => '?').join(', ')
    const insert = db.prepare(`insert into ${templateOf(table)} (${columns.join(', ')}) values (${places})`)
    db.exec('begin')
    for (const row of templates[table]) insert.run(...Object.values(row))
    db.exec('commit')
    db.exec(`create index temp.${templateOf(table)}_key on ${templateOf(table)} (${keyOf(table)})`)
  }
  return {
    async make(blocks) {
      // This blocks the thread for long, so let the fill of the other database send its statements first.
      await nextTurn()
      for (const block of blocks) {
        for (const sql of expansions(templates, block, calendar, sqliteTongue)) db.exec(sql)
      }
    },
    async finish(lastId) {
      db.exec(recount)
      db.prepare('update counters set value = ?').run(lastId)
      db.prepare('update advertiser_ledger set last_submitted_at = ?').run(lastDate(calendar, lastId))
      db.exec('pragma synchronous = full; pragma journal_mode = wal')
    },
    close: async () => db.close(),
  }
}

const postgresTongue: Tongue = {
  numbers: (first, last) => `generate_series(${first}::bigint, ${last}::bigint) n(id)`,
  aestIso: ms => `to_char(to_timestamp((${ms} + 36000000) / 1000) at time zone 'UTC',
    'YYYY-MM-DD"T"HH24:MI:SS".000+10:00"')`,
  text: number => `${number}::text`,
}

/** The pieces on one connection, the rest on another, to use two cores. */
async function openPostgresWriter(url: string, templates: Rows, calendar: Calendar): Promise<BulkWriter> {
  const [client, second] = await Promise.all([connect(url), connect(url)])
  await client.query('alter system set fsync = off')
  await client.query('select pg_reload_conf()')
  for (const table of tablesOf(templates)) {
    await client.query(`create unlogged table ${templateOf(table)} as select * from ${table} where false`)
  }
  await copyAll(client, templates)
  return {
    async make(blocks) {
      const run = (on: pg.Client, isWanted: (table: ApplicationTable) => boolean) => {
        const own = blocks.map(block => ({ ...block, tables: block.tables.filter(isWanted) }))
        // In one batch, without a round trip between statements.
        return on.query(
          own.flatMap(block => expansions(templates, block, calendar, postgresTongue)).join(';\n'),
        )
      }
      await Promise.all([
        run(client, table => table === 'application_pieces'),
        run(second, table => table !== 'application_pieces'),
      ])
    },
    async finish(lastId) {
      await client.query(recount)
      for (const table of tablesOf(templates)) await client.query(`drop table ${templateOf(table)}`)
      await client.query("select setval('application_ids', $1)", [lastId])
      await client.query('update advertiser_ledger set last_submitted_at = $1', [lastDate(calendar, lastId)])
      // Run what autovacuum would run soon, so that it does not start in the middle of a round.
      await client.query('vacuum analyze')
      await client.query('alter system reset fsync')
      await client.query('select pg_reload_conf()')
      await client.query('checkpoint')
    },
    async close() {
      await client.end()
      await second.end()
    },
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  // The query in progress reports the failure; without a listener a lost connection would end the process.
  client.on('error', () => {})
  await client.connect()
  // Foreign keys are right by construction, so they are not checked per row; commits do not wait for the disk.
  // Memory for all templates, so that they are joined in the order of the numbers.
  await client.query(`set session_replication_role = replica; set synchronous_commit = off;
    set work_mem = '512MB'; set jit = off`)
  return client
}

async function copyAll(client: pg.Client, rows: Rows): Promise<void> {
  await client.query('begin')
  for (const table of tablesOf(rows)) {
    const tableRows = rows[table]
    const [first] = tableRows
    if (first === undefined) continue
    let text = ''
    for (const row of tableRows) text += `${Object.values(row).map(copyValue).join('\t')}\n`
    const copy = new CopyIn(`copy ${templateOf(table)} (${Object.keys(first).join(', ')}) from stdin`, text)
    client.query(copy)
    await copy.done
  }
  await client.query('commit')
  for (const table of tablesOf(rows)) await client.query(`analyze ${templateOf(table)}`)
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

/** COPY ... FROM STDIN, which pg does not implement itself: twice as fast as the fastest INSERT. */
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
