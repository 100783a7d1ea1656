import { createDatabaseTemplate } from './database.ts'
import { type Postgres, startPostgres } from './postgres.ts'

let postgres: Postgres | undefined

/** One PostgreSQL for the whole run. The tests that pull its plug start their own. */
export async function globalSetup(): Promise<void> {
  // The run is about what we write; a machine that loses power in the middle of it starts it again.
  postgres = await startPostgres({ fsync: 'off' })
  process.env['TEST_POSTGRES_URL'] = postgres.url('postgres')
  process.env['TEST_POSTGRES_TEMPLATE'] = await createDatabaseTemplate(postgres)
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop()
}
