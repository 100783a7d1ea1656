import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pg from 'pg'
import { allCategories } from '../src/model/categories.ts'
import { sha256Hex } from '../src/platform/core/hashing.ts'
import { type Load, measureWork, type Run } from './load.ts'
import type { Place } from './row-writer.ts'
import type { Person } from './sharing-world.ts'

export interface PrefillFields {
  applicationFormUrl: string
  positionTitle: string
  positionUri: string
  positionReference: string
  countryCode: string
  postalCode: string
}

/** Writes the rows of a prefill with the engine alone: no HTTP, no checks, no query builder. */
export interface BarePrefill {
  load: Load
  close(): Promise<void>
}

export interface BareSource {
  clientId: string
  advertiserId: number
  person(): Person
  fields(): PrefillFields
}

const applicationColumns = `id, retry_key, client_id, grant_id, candidate_id, advertiser_id, form_url,
  position_title, position_uri, position_reference, country_code, postal_code, created_at, updated_at`
const disclosureColumns =
  'id, candidate_id, grant_id, client_id, advertiser_id, kind, categories, disclosed_at'

const inserts = [
  insert('prefilled_applications', applicationColumns),
  `${insert('released_resumes', 'id, grant_id, resume_id, created_at')}
    on conflict (grant_id, resume_id) do update set created_at = released_resumes.created_at`,
  insert('disclosures', disclosureColumns),
]

function insert(table: string, columns: string): string {
  const places = columns.split(',').map((_, index) => `$${index + 1}`)
  return `insert into ${table} (${columns}) values (${places.join(', ')})`
}

/** The values of each insert. */
function valuesOf({ clientId, advertiserId, person, fields }: BareSource): (string | number)[][] {
  const { candidateId, grantId, resumeId } = person()
  const { applicationFormUrl, ...position } = fields()
  const now = Date.now()
  const retryKey = sha256Hex(applicationFormUrl)
  const owner = [clientId, grantId, candidateId, advertiserId]
  return [
    [randomUUID(), retryKey, ...owner, applicationFormUrl, ...Object.values(position), now, now],
    [randomUUID(), grantId, resumeId, now],
    [randomUUID(), candidateId, grantId, clientId, advertiserId, 'prefill', allCategories, now],
  ]
}

export function openBarePrefill(place: Place, source: BareSource, connections: number): Promise<BarePrefill> {
  return 'file' in place ? openOnSqlite(place.file, source) : openOnPostgres(place.url, source, connections)
}

/** One writer, because SQLite admits one: more would wait for each other. */
async function openOnSqlite(file: string, source: BareSource): Promise<BarePrefill> {
  const db = new DatabaseSync(file, { timeout: 5_000 })
  db.exec('pragma synchronous = full; pragma foreign_keys = on; pragma journal_size_limit = 67108864')
  const statements = inserts.map(sql => db.prepare(sql.replace(/\$\d+/g, '?')))
  async function keepWriting(run: Run): Promise<void> {
    while (run.isRunning()) {
      db.exec('begin immediate')
      for (const [index, values] of valuesOf(source).entries()) statements[index]?.run(...values)
      db.exec('commit')
      run.onDone(0)
      // Yield, so that the timer that ends the turn can fire.
      await nextTurn()
    }
  }
  return {
    load: options => measureWork(run => [keepWriting(run)], options),
    close: async () => db.close(),
  }
}

async function openOnPostgres(url: string, source: BareSource, connections: number): Promise<BarePrefill> {
  const clients = Array.from({ length: connections }, () => new pg.Client(url))
  for (const client of clients) {
    // The query in progress reports the failure; without a listener a lost connection would end the process.
    client.on('error', () => {})
    await client.connect()
  }
  async function keepWriting(client: pg.Client, run: Run): Promise<void> {
    while (run.isRunning()) {
      await client.query('begin')
      for (const [index, values] of valuesOf(source).entries()) {
        await client.query({ name: `insert-${index}`, text: inserts[index] ?? '', values })
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
