import { type Migration, Migrator } from 'kysely'
import * as foundation from './migrations/0001-foundation.ts'
import * as share from './migrations/0002-share.ts'
import * as apply from './migrations/0003-apply.ts'
import * as people from './migrations/0004-people.ts'
import type { Database, Dialect, Schema } from './schema.ts'

/** In order. A migration that was released is never edited: the next one mends it. */
const migrations: Record<string, { up(db: Database['writer'], dialect: Dialect): Promise<void> }> = {
  '0001-foundation': foundation,
  '0002-share': share,
  '0003-apply': apply,
  '0004-people': people,
}

const migrationTable = 'schema_migrations'

export type SchemaState =
  | { state: 'current' }
  | { state: 'older'; missing: string[] }
  | { state: 'newer'; unknown: string[] }

/** Which migrations has the database had, and does the code know them all? */
export async function readSchemaState(database: Database): Promise<SchemaState> {
  const applied = await appliedMigrations(database)
  const unknown = applied.filter(name => !Object.hasOwn(migrations, name))
  if (unknown.length > 0) return { state: 'newer', unknown }
  const missing = Object.keys(migrations).filter(name => !applied.includes(name))
  return missing.length > 0 ? { state: 'older', missing } : { state: 'current' }
}

async function appliedMigrations({ writer, dialect }: Database): Promise<string[]> {
  // The table is the migrator's own and not in our schema.
  const anything = writer as unknown as import('kysely').Kysely<{
    sqlite_master: { name: string }
    'information_schema.tables': { table_name: string; table_schema: string }
    schema_migrations: { name: string }
  }>
  const found =
    dialect === 'sqlite'
      ? await anything.selectFrom('sqlite_master').select('name').where('name', '=', migrationTable).execute()
      : await anything
          .selectFrom('information_schema.tables')
          .select('table_name')
          .where('table_name', '=', migrationTable)
          .where('table_schema', '=', eb => eb.fn<string>('current_schema'))
          .execute()
  if (found.length === 0) return []
  const rows = await anything.selectFrom(migrationTable).select('name').orderBy('name').execute()
  return rows.map(row => row.name)
}

/** Brings the database to the newest schema; returns the names of the migrations that ran. */
export async function migrate({ writer, dialect }: Database): Promise<string[]> {
  const migrator = new Migrator({
    db: writer,
    migrationTableName: migrationTable,
    migrationLockTableName: 'schema_migrations_lock',
    provider: {
      getMigrations: async () =>
        Object.fromEntries(
          Object.entries(migrations).map(([name, { up }]): [string, Migration] => [
            name,
            { up: db => up(db as import('kysely').Kysely<Schema>, dialect) },
          ]),
        ),
    },
  })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  return results.filter(result => result.status === 'Success').map(result => result.migrationName)
}
