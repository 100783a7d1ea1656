import { type Postgres, startPostgres } from './postgres.ts'
import { createTemplates, type Templates } from './templates.ts'

let postgres: Postgres | undefined
let templates: Templates | undefined

/** One PostgreSQL for the whole run. The tests that pull its plug start their own. */
export async function globalSetup(): Promise<void> {
  // The run is about what we write; a machine that loses power in the middle of it starts it again.
  postgres = await startPostgres({ fsync: 'off' })
  templates = await createTemplates(postgres)
  Object.assign(process.env, {
    TEST_POSTGRES_URL: postgres.url('postgres'),
    TEST_POSTGRES_EMPTY: templates.postgres.empty,
    TEST_POSTGRES_DEMO: templates.postgres.demo,
    TEST_POSTGRES_DEMO_FOLDER: templates.folders.postgres,
    TEST_SQLITE_DEMO_FOLDER: templates.folders.sqlite,
  })
}

export async function globalTeardown(): Promise<void> {
  await templates?.remove()
  await postgres?.stop()
}
