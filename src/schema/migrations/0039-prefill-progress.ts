import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'adds a table of what clients report about prefilled applications'

/** What became of a prefilled application, as its client says: the last entry is its state. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const table = sql.raw(dialect === 'postgres' ? '' : 'strict, without rowid')
  await sql`create table prefill_progress (
    prefilled_application_id text not null references prefilled_applications (id) on delete cascade,
    position ${integer} not null,
    at ${integer} not null,
    state text not null check (state in ('new', 'seen', 'in-review', 'interview', 'offer', 'not-suitable', 'hired')),
    reason text,
    primary key (prefilled_application_id, position)
  ) ${table}`.execute(db)
}
