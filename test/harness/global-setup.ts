import { join } from 'node:path'
import { findDaemon } from './debian.ts'
import { joinService } from './joined-service.ts'
import { type Pgbouncer, startPgbouncer } from './pgbouncer.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { type S3Server, startS3 } from './s3.ts'
import { createTemplates, type Templates } from './templates.ts'

let postgres: Postgres | undefined
let pgbouncer: Pgbouncer | undefined
let templates: Templates | undefined
let s3: S3Server | undefined

/** One PostgreSQL for the whole run. Tests that kill it start their own. `installed`: what the tests need and npm does not install. */
export async function globalSetup(installed: Promise<unknown>): Promise<void> {
  try {
    await setUp(installed)
  } catch (error) {
    // A failed set-up has nothing to tear down.
    await globalTeardown()
    throw error
  }
}

async function setUp(installed: Promise<unknown>): Promise<void> {
  const joined = joinService()
  // Durability of this server does not matter: after a power cut the run starts again.
  postgres = await startPostgres({ fsync: 'off', full_page_writes: 'off', autovacuum: 'off' })
  const begun = startS3()
  templates = await createTemplates(postgres)
  s3 = await begun
  Object.assign(process.env, {
    TEST_POSTGRES_NATIVE: join(postgres.folder, 'native'),
    TEST_POSTGRES_FRESH: join(postgres.folder, 'fresh'),
    TEST_POSTGRES_URL: postgres.url('postgres'),
    TEST_POSTGRES_EMPTY: templates.postgres.empty,
    TEST_POSTGRES_DEMO: templates.postgres.demo,
    TEST_POSTGRES_EMPTY_FOLDER: templates.folders.postgres.empty,
    TEST_POSTGRES_DEMO_FOLDER: templates.folders.postgres.demo,
    TEST_SQLITE_EMPTY_FOLDER: templates.folders.sqlite.empty,
    TEST_SQLITE_DEMO_FOLDER: templates.folders.sqlite.demo,
    TEST_S3_ENDPOINT: s3.endpoint,
    TEST_S3_FOLDER: s3.folder,
    TEST_DOSSIER: await joined,
    // For services in the process of a test: the SDK finds its credentials by itself.
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
  })
  await installed
  // If it is missing, the tests that need it say so.
  if ((await findDaemon('pgbouncer')) !== undefined) {
    pgbouncer = await startPgbouncer(postgres)
    process.env['TEST_PGBOUNCER_URL'] = pgbouncer.url('postgres')
  }
}

export async function globalTeardown(): Promise<void> {
  await templates?.remove()
  await s3?.stop()
  await pgbouncer?.stop()
  await postgres?.stop()
}
