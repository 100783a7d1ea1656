import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pg from 'pg'
import type { ApplicationStatus } from '../src/model/application-status.ts'
import type { Place } from './row-writer.ts'

type Value = string | number | null
type Row = Record<string, Value>
type Statement = [sql: string, values: Value[]]

/** One row of each table that a report writes: for each entry, and one of the audit log for all. */
export interface ProgressRows {
  application_history: Row
  events: Row
  audit_entries: Row
}

/** The applications of one commit. */
export interface Batch {
  ids: readonly number[]
  former: ApplicationStatus
  status: ApplicationStatus
  /** In the history of each. */
  position: number
}

/** The least work that stores reports: their rows, in one durable commit for each batch, one after the other. */
export interface BareProgress {
  write(batch: Batch): Promise<void>
  close(): Promise<void>
}

export interface BareSource {
  advertiserId: number
  rows: ProgressRows
  /** The highest ones of the advertiser. */
  numbers: { event: number; audit: number }
}

export function openBareProgress(place: Place, source: BareSource): Promise<BareProgress> {
  const numbers = { ...source.numbers }
  const statementsOf = (batch: Batch) => statements(source, numbers, batch)
  return 'file' in place ? openOnSqlite(place.file, statementsOf) : openOnPostgres(place.url, statementsOf)
}

/** In the order in which the service writes. */
function statements(
  { advertiserId, rows }: BareSource,
  numbers: BareSource['numbers'],
  { ids, former, status, position }: Batch,
): Statement[] {
  const now = Date.now()
  const of = <T extends Row>(model: Row, own: (id: number) => T) => ids.map(id => ({ ...model, ...own(id) }))
  const history = of(rows.application_history, id => ({
    advertiser_id: advertiserId,
    application_id: id,
    position,
    at: now,
    former,
    status,
  }))
  const events = of(rows.events, id => ({
    advertiser_id: advertiserId,
    application_id: id,
    number: ++numbers.event,
  }))
  const audit = {
    ...rows.audit_entries,
    scope: advertiserId,
    number: ++numbers.audit,
    at: now,
    target: `applications:${advertiserId}`,
  }
  const places = ids.map((_, index) => `$${index + 3}`).join(', ')
  return [
    [
      `update applications set status = $1 where advertiser_id = $2 and id in (${places})`,
      [status, advertiserId, ...ids],
    ],
    [
      `insert into application_counts (advertiser_id, job_ad_id, status, applications)
       values ($1, 0, $2, $3), ($4, 0, $5, $6) on conflict (advertiser_id, job_ad_id, status)
       do update set applications = application_counts.applications + excluded.applications`,
      [advertiserId, former, -ids.length, advertiserId, status, ids.length],
    ],
    insert('application_history', history),
    [
      'update advertiser_ledger set event_number = $1 where advertiser_id = $2',
      [numbers.event, advertiserId],
    ],
    insert('events', events),
    insert('audit_entries', [audit]),
    ['update audit_heads set number = $1, at = $2 where scope = $3', [numbers.audit, now, advertiserId]],
  ]
}

function insert(table: string, rows: readonly Row[]): Statement {
  const columns = Object.keys(rows[0] ?? {})
  const places = rows.map(
    (_, row) => `(${columns.map((_, at) => `$${row * columns.length + at + 1}`).join(', ')})`,
  )
  const names = columns.map(name => `"${name}"`).join(', ')
  return [
    `insert into ${table} (${names}) values ${places.join(', ')}`,
    rows.flatMap(row => Object.values(row)),
  ]
}

async function openOnSqlite(
  file: string,
  statementsOf: (batch: Batch) => Statement[],
): Promise<BareProgress> {
  const db = new DatabaseSync(file, { timeout: 5_000 })
  db.exec('pragma synchronous = full; pragma foreign_keys = on; pragma journal_size_limit = 67108864')
  const prepared = new Map<string, ReturnType<typeof db.prepare>>()
  const prepare = (sql: string) => {
    const statement = prepared.get(sql) ?? db.prepare(sql.replace(/\$\d+/g, '?'))
    prepared.set(sql, statement)
    return statement
  }
  return {
    async write(batch) {
      db.exec('begin immediate')
      for (const [sql, values] of statementsOf(batch)) prepare(sql).run(...values)
      db.exec('commit')
      await nextTurn()
    },
    close: async () => db.close(),
  }
}

async function openOnPostgres(
  url: string,
  statementsOf: (batch: Batch) => Statement[],
): Promise<BareProgress> {
  const client = new pg.Client(url)
  // The query in progress reports the failure; without a listener a lost connection would end the process.
  client.on('error', () => {})
  await client.connect()
  return {
    async write(batch) {
      await client.query('begin')
      for (const [text, values] of statementsOf(batch))
        await client.query({ name: text.slice(0, 60), text, values })
      await client.query('commit')
    },
    close: () => client.end(),
  }
}
