import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import './cheap-passwords.ts'
import { open } from './database.ts'
import type { Postgres } from './postgres.ts'

/** Made once for a run; every database of a test is a copy of one of them. */
export interface Templates {
  /** Names of databases on the server: migrated and empty, and with the demo. */
  postgres: { empty: string; demo: string }
  /** A DATA_DIR with the demo for each engine: with PostgreSQL it contains only the files. */
  folders: { sqlite: string; postgres: string }
  remove(): Promise<void>
}

export async function createTemplates(postgres: Postgres): Promise<Templates> {
  const root = await mkdtemp(join(tmpdir(), 'dossier-template-'))
  const folders = { sqlite: join(root, 'sqlite'), postgres: join(root, 'postgres') }
  const empty = await postgres.createDatabase()
  await fill({ DATA_DIR: folders.postgres, DATABASE_URL: postgres.url(empty) })
  const demo = await postgres.createDatabase(empty)
  await fill({ DATA_DIR: folders.postgres, DATABASE_URL: postgres.url(demo) }, 'demo')
  await fill({ DATA_DIR: folders.sqlite }, 'demo')
  return {
    postgres: { empty, demo },
    folders,
    remove: () => rm(root, { recursive: true, force: true }),
  }
}

async function fill(settings: Record<string, string>, content?: 'demo'): Promise<void> {
  const services = await open(settings)
  try {
    await services.schema.migrate()
    if (content === 'demo') await services.demo.ensureLoaded()
    // A copy is another database, and would look like a restored backup: see src/storage/database/server-history.ts.
    await services.database.writer.deleteFrom('meta').where('key', '=', 'history').execute()
  } finally {
    await services.close()
  }
}
