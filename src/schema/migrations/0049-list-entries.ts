import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'keeps the first names of the entries in the operator’s lists'

export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const table = sql.raw(dialect === 'postgres' ? '' : 'strict, without rowid')
  // Rows are only added: an ID that has left a list must not come back with another meaning.
  await sql`create table list_entries (
    list text not null,
    id text not null,
    name text not null,
    primary key (list, id)
  ) ${table}`.execute(db)
}
