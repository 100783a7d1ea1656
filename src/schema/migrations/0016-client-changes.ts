import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'adds the table of changes that agents have asked for'

/** Changes of clients that agents have asked for: see src/schema/people-tables.ts. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const table = sql.raw(dialect === 'postgres' ? '' : 'strict, without rowid')
  await sql`create table client_changes (
    client_id text not null references oauth_clients (id),
    kind text not null check (kind in ('redirect-uris', 'privacy', 'logo')),
    id text not null unique,
    value text not null,
    requested_by text not null,
    requested_at ${integer} not null,
    primary key (client_id, kind)
  ) ${table}`.execute(db)
}
