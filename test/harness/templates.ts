import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import './cheap-passwords.ts'
import { open } from './database.ts'
import type { Postgres } from './postgres.ts'

/** Made once for a run; every database of a test is a copy of one of them. */
export interface Templates {
  /** Names of databases on the server: migrated and empty, and with the demo. */
  postgres: { empty: string; demo: string }
  /** A DATA_DIR for each: with PostgreSQL it contains only the files. */
  folders: Record<'sqlite' | 'postgres', { empty: string; demo: string }>
  remove(): Promise<void>
}

export async function createTemplates(postgres: Postgres): Promise<Templates> {
  const root = await mkdtemp(join(tmpdir(), 'dossier-template-'))
  const foldersOf = (engine: string) => ({
    empty: join(root, engine, 'empty'),
    demo: join(root, engine, 'demo'),
  })
  const folders = { sqlite: foldersOf('sqlite'), postgres: foldersOf('postgres') }
  // An empty database with PostgreSQL has no files.
  await mkdir(folders.postgres.empty, { recursive: true })
  const empty = await postgres.createDatabase()
  await fill({ DATA_DIR: folders.postgres.empty, DATABASE_URL: postgres.url(empty) })
  const demo = await postgres.createDatabase(empty)
  await fill({ DATA_DIR: folders.postgres.demo, DATABASE_URL: postgres.url(demo) }, 'demo')
  await fill({ DATA_DIR: folders.sqlite.empty })
  await cp(folders.sqlite.empty, folders.sqlite.demo, { recursive: true })
  await fill({ DATA_DIR: folders.sqlite.demo }, 'demo')
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
    // A copy is another database, and would look like a restored backup: see src/platform/database/server-history.ts.
    await services.database.writer.deleteFrom('meta').where('key', '=', 'history').execute()
  } finally {
    await services.close()
  }
}
