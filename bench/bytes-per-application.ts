// Measures the bytes of an application on PostgreSQL, for decision 035: `node bench/bytes-per-application.ts`.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApplicationDraft } from '../src/model/application.ts'
import { open } from '../test/harness/database.ts'
import { type Postgres, startPostgres } from '../test/harness/postgres.ts'
import type { Services } from '../test/harness/services.ts'
import { addTenant, draftOf, putFile } from '../test/harness/tenant.ts'

/** Number that the service creates; the rest are copies for other advertisers. */
const made = 2_000
const advertisers = 50
const total = made * advertisers
const tables = [
  'advertiser_ledger',
  'applications',
  'application_files',
  'application_screens',
  'application_pieces',
  'application_terms',
]

/** Each has a resume; every third has a letter and a questionnaire too. */
async function drafts(services: Services): Promise<(serial: number) => ApplicationDraft> {
  const resume = await putFile(services, 'resume', Buffer.from('A resume.'))
  const letter = await putFile(services, 'coverLetter', Buffer.from('A letter.'))
  return serial => {
    const { screen, ...draft } = draftOf(serial, serial % 3 === 0 ? [resume, letter] : [resume])
    return serial % 3 === 0 && screen !== undefined ? { ...draft, screen } : draft
  }
}

async function copyToOthers(postgres: Postgres, name: string, advertiserId: number): Promise<void> {
  const others = `generate_series(1, ${advertisers - 1}) as other`
  await postgres.query(
    `insert into advertisers select id + other, name, status, created_at from advertisers, ${others}`,
    name,
  )
  for (const table of tables) {
    const columns = await postgres.query(
      `select attname from pg_attribute where attrelid = '${table}'::regclass and attnum > 0 order by attnum`,
      name,
    )
    const values = columns.map(({ attname }) => {
      if (attname === 'advertiser_id') return 'advertiser_id + other'
      if (attname === 'id' || attname === 'application_id') return `${attname} + other * 1000000`
      // Each upload has its own name.
      if (attname === 'blob')
        return `left(blob, -12) || lpad((other * 1000000 + application_id)::text, 12, '0')`
      return attname
    })
    await postgres.query(
      `insert into ${table} select ${values.join(', ')} from ${table}, ${others}
        where advertiser_id = ${advertiserId} order by other`,
      name,
    )
  }
}

const postgres = await startPostgres({ fsync: 'off', max_wal_size: '8GB', checkpoint_timeout: '1h' })
const folder = await mkdtemp(join(tmpdir(), 'dossier-bytes-'))
const name = await postgres.createDatabase()
const services = await open({ DATABASE_URL: postgres.url(name), DATA_DIR: folder })
try {
  await services.schema.migrate()
  const { advertiserId } = await addTenant(services)
  const draft = await drafts(services)
  const [before] = await postgres.query('select pg_current_wal_lsn() as lsn')
  for (let serial = 0; serial < made; serial += 1) {
    await services.submissions.add(advertiserId, draft(serial))
  }
  const [log] = await postgres.query(
    `select (pg_current_wal_lsn() - '${before?.['lsn']}'::pg_lsn) / ${made} as bytes`,
  )
  await copyToOthers(postgres, name, advertiserId)
  await postgres.query('vacuum analyze', name)
  const sizes = await postgres.query(
    `select relname as table, reltuples / ${total} as rows, pg_relation_size(oid) / ${total} as heap,
        pg_indexes_size(oid) / ${total} as indexes
      from pg_class where relkind = 'r' and pg_relation_size(oid) > ${total} and relnamespace = 'public'::regnamespace
      order by relname`,
    name,
  )
  console.log(`${total} applications; bytes for each:`)
  console.table(sizes)
  console.log(`write-ahead log: ${Math.round(Number(log?.['bytes']))}`)
} finally {
  await services.close()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
