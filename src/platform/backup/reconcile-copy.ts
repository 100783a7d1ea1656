import { migrate } from '../database/migrating/migrate.ts'
import type { Migrations } from '../database/migrating/migration.ts'
import type { Database } from '../database/tables.ts'
import { backupMarkerKey } from './snapshot-file.ts'

/** Makes a restored database safe to serve from. Returns advice for the operator. */
export type Reconcile = (database: Database) => Promise<string[]>

/** Migrates a copy to this version's schema and prepares it to serve. */
export async function prepareCopy(database: Database, migrations: Migrations, now: number): Promise<void> {
  await migrateCopy(database, migrations, now)
  await database.writer.deleteFrom('meta').where('key', '=', backupMarkerKey).execute()
}

/** No process uses a copy, so no migration has to wait. */
export async function migrateCopy(database: Database, migrations: Migrations, now: number): Promise<void> {
  await migrate(database, { migrations, now, nodeFreshMs: 0, lockMs: 0, pauseMs: 0, tries: 1 })
}
