import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import pg from 'pg'
import { openServices, type Services } from '../../src/app.ts'
import { type Environment, readConfig } from '../../src/config.ts'
import type { Clock } from '../../src/core/clock.ts'
import { createLog } from '../../src/logging.ts'

export const engines = ['sqlite', 'postgres'] as const
export type Engine = (typeof engines)[number]

/** A database of its own, as settings for a service or for a process. */
export interface TestDatabase {
  engine: Engine
  settings: Record<string, string>
  remove(): Promise<void>
}

export const silentLog = createLog({ level: 'silent', format: 'json', write: () => {} })

/**
 * With the demo it is a copy of one that was loaded for all tests, in which signing in costs next to nothing.
 * Without it, SQLite begins with no file at all and PostgreSQL with a migrated and empty database.
 */
export async function createTestDatabase(engine: Engine, content?: 'demo'): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'dossier-test-'))
  if (content === 'demo') await cp(template(`${engine}_demo_folder`), folder, { recursive: true })
  if (engine === 'sqlite') {
    return {
      engine,
      settings: { DATA_DIR: folder },
      remove: () => rm(folder, { recursive: true, force: true }),
    }
  }
  const name = `t_${randomBytes(8).toString('hex')}`
  await onServer(`create database ${name} template ${template(`postgres_${content ?? 'empty'}`)}`)
  const url = new URL(template('postgres_url'))
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

/** What the set-up of the run has left for its tests, see global-setup.ts. */
function template(name: string): string {
  const value = process.env[`TEST_${name.toUpperCase()}`]
  if (value === undefined) throw new Error('run the tests with "npm test", which starts PostgreSQL')
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
