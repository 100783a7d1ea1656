import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import pg from 'pg'
import { openServices, type Services } from '../../src/app.ts'
import { type Environment, readConfig } from '../../src/config.ts'
import type { Clock } from '../../src/core/clock.ts'
import { createLog } from '../../src/logging.ts'
import type { Postgres } from './postgres.ts'

export const engines = ['sqlite', 'postgres'] as const
export type Engine = (typeof engines)[number]

/** A database of its own, as settings for a service or for a process. */
export interface TestDatabase {
  engine: Engine
  settings: Record<string, string>
  remove(): Promise<void>
}

export const silentLog = createLog({ level: 'silent', format: 'json', write: () => {} })

export async function createTestDatabase(engine: Engine): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'dossier-test-'))
  if (engine === 'sqlite') {
    return {
      engine,
      settings: { DATA_DIR: folder },
      remove: () => rm(folder, { recursive: true, force: true }),
    }
  }
  const name = `t_${randomBytes(8).toString('hex')}`
  await onServer(`create database ${name} template ${process.env['TEST_POSTGRES_TEMPLATE']}`)
  const url = new URL(serverUrl())
  url.pathname = `/${name}`
  return {
    engine,
    settings: { DATA_DIR: folder, DATABASE_URL: url.href },
    async remove() {
      await onServer(`drop database if exists ${name} with (force)`)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function serverUrl(): string {
  const url = process.env['TEST_POSTGRES_URL']
  if (url === undefined) throw new Error('run the tests with "npm test", which starts PostgreSQL')
  return url
}

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client(serverUrl())
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** A migrated database that the others are copied from. */
export async function createDatabaseTemplate(postgres: Postgres): Promise<string> {
  const name = await postgres.createDatabase()
  const services = await open({ DATABASE_URL: postgres.url(name) })
  await services.schema.migrate()
  await services.close()
  return name
}

export function open(settings: Environment, clock?: Clock): Promise<Services> {
  return openServices(readConfig(settings), silentLog, clock)
}

/** A suite on both databases, in this process, on a migrated and empty database. */
export function withServices(
  name: string,
  body: (services: () => Services, settings: () => Environment) => void,
  clock?: Clock,
): void {
  for (const engine of engines) {
    describe(`${name} [${engine}]`, () => {
      let database: TestDatabase
      let services: Services
      before(async () => {
        database = await createTestDatabase(engine)
        services = await open(database.settings, clock)
        await services.schema.migrate()
      })
      after(async () => {
        await services.close()
        await database.remove()
      })
      body(
        () => services,
        () => database.settings,
      )
    })
  }
}
