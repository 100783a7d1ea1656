import { randomBytes } from 'node:crypto'
import { cpSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import pg from 'pg'
import { createLog } from '../../src/logging.ts'
import { asTask, setDefaultAuditContext } from '../../src/platform/core/async/audit-context.ts'
import { type Clock, systemClock } from '../../src/platform/core/clock.ts'
import { type Environment, readConfig } from '../../src/settings.ts'
import { partitionByAdvertiser } from './partitioning.ts'
import { createBucket } from './s3.ts'
import { openServices, type Services } from './services.ts'
import { partsOfSuite, type Suite } from './suite.ts'

export const engines = ['sqlite', 'postgres'] as const
/** For tests about files: SQLite with its files in S3. */
export const fileEngines = [...engines, 's3'] as const
/**
 * For tests of every store: PostgreSQL also through a pooler, where no session lasts, and with partitioned tables of
 * applications, as a large board will need them.
 */
export const storeEngines = [...fileEngines, 'pgbouncer', 'partitioned'] as const
/** Why tests on this engine are skipped; false when they run. For the option `skip` of node:test. */
export const skipOn = (engine: StoreEngine): string | false =>
  engine === 'pgbouncer' && process.env['TEST_PGBOUNCER_URL'] === undefined && 'pgbouncer is not installed'
export type Engine = (typeof engines)[number]
export type StoreEngine = (typeof storeEngines)[number]

/** Its own database, as settings for a service or for a process. */
export interface TestDatabase {
  engine: StoreEngine
  settings: Record<string, string>
  remove(): Promise<void>
}

// Tests that call services and stores act as this task; requests, commands and tasks act as themselves.
setDefaultAuditContext(asTask('test', systemClock))

/** Several nodes share a setting; one machine makes a file. */
export const secretsKey = Buffer.alloc(32, 's').toString('base64')

export const silentLog = createLog({ level: 'silent', format: 'json', write: () => {} })

/** Some services are closed only afterwards: the thread of their checkpoints may create a file meanwhile. */
const removal = { recursive: true, force: true, maxRetries: 5 } as const

/**
 * A copy of one that was made for all tests: migrated and empty, or with the demo, in which signing in costs next to
 * nothing. Without content, SQLite starts without a file and PostgreSQL as if empty.
 */
export async function createTestDatabase(
  engine: StoreEngine,
  content?: 'empty' | 'demo',
): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'dossier-test-'))
  const database = engine === 'sqlite' || engine === 's3' ? 'sqlite' : 'postgres'
  // The asynchronous form takes six times as much processor time.
  if (content !== undefined) cpSync(template(`${database}_${content}_folder`), folder, { recursive: true })
  if (engine === 'sqlite') {
    return {
      engine,
      settings: { DATA_DIR: folder },
      remove: () => rm(folder, removal),
    }
  }
  if (engine === 's3') {
    const blobs = join(folder, 'blobs')
    const bucket = await createBucket(blobs)
    await rm(blobs, { recursive: true, force: true })
    return {
      engine,
      settings: { DATA_DIR: folder, ...bucket.settings() },
      async remove() {
        await bucket.removeAll()
        await rm(folder, removal)
      },
    }
  }
  const name = `t_${randomBytes(8).toString('hex')}`
  // The files of the template are copied as they are: replaying its log would take four times as long.
  await onServer(
    `create database ${name} template ${template(`postgres_${content ?? 'empty'}`)} strategy file_copy`,
  )
  const url = new URL(template(engine === 'pgbouncer' ? 'pgbouncer_url' : 'postgres_url'))
  url.pathname = `/${name}`
  if (engine === 'partitioned') await partitionByAdvertiser(url.href)
  return {
    engine,
    settings: {
      DATA_DIR: folder,
      DATABASE_URL: url.href,
      SECRETS_KEY: secretsKey,
      ...(engine === 'pgbouncer' ? { DATABASE_PREPARED: 'off' } : {}),
    },
    async remove() {
      await onServer(`drop database if exists ${name} with (force)`)
      await rm(folder, removal)
    },
  }
}

/** Left by the set-up of the run for its tests, see global-setup.ts. */
function template(name: string): string {
  const value = process.env[`TEST_${name.toUpperCase()}`]
  if (value === undefined) {
    throw new Error('Run the tests with "npm test", which starts PostgreSQL.')
  }
  return value
}

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client(template('postgres_url'))
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

export function open(settings: Environment, clock?: Clock): Promise<Services> {
  // A clock that a test moves is steady: time passes by it.
  return openServices(readConfig(settings), silentLog, clock, clock)
}

/** The same, but a write waits for the writes before it as long as it takes, however busy the machine is. */
export function openPatiently(settings: Environment, clock?: Clock): Promise<Services> {
  const config = readConfig(settings)
  const most = 120_000
  const waits = { statementTimeoutMs: most, lockWaitMs: most, connectMs: most, transactionIdleMs: most }
  return openServices({ ...config, limits: { ...config.limits, ...waits } }, silentLog, clock, clock)
}

/** Behind a pooler, partitioned or beside S3 the statements are the same: a fifth of the random examples will do. */
export const examples = (engine: StoreEngine, count: number) =>
  engine === 'sqlite' || engine === 'postgres' ? count : Math.ceil(count / 5)

type ServicesBody = (services: () => Services, settings: () => Environment, engine: StoreEngine) => void
export type ServicesSuite = Suite<{ clock?: Clock; content?: 'empty' | 'demo' }, ServicesBody>

/** A suite on both databases, in this process, on a migrated and empty database. */
export function withServices(...suite: ServicesSuite): void {
  for (const engine of engines) withServicesOn(engine, ...suite)
}

/** The same with the demo. */
export function withDemo(...suite: ServicesSuite): void {
  const { name, options, body } = partsOfSuite(suite, {})
  for (const engine of engines) withServicesOn(engine, name, { ...options, content: 'demo' }, body)
}

/** The same with each store of files. */
export function withFileStores(...suite: ServicesSuite): void {
  for (const engine of fileEngines) withServicesOn(engine, ...suite)
}

/** The same on every way to a database, and with each store of files. */
export function withStores(...suite: ServicesSuite): void {
  for (const engine of storeEngines) withServicesOn(engine, ...suite)
}

export function withServicesOn(engine: StoreEngine, ...suite: ServicesSuite): void {
  const { name, options, body } = partsOfSuite(suite, {})
  const { clock, content = 'empty' } = options
  describe(`${name} [${engine}]`, { skip: skipOn(engine) }, () => {
    let database: TestDatabase
    let services: Services
    before(async () => {
      database = await createTestDatabase(engine, content)
      services = await openPatiently(database.settings, clock)
      await services.schema.migrate()
    })
    after(async () => {
      await services.close()
      await database.remove()
    })
    body(
      () => services,
      () => database.settings,
      engine,
    )
  })
}
