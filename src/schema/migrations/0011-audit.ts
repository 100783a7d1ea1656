import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'adds the tables of the audit log'

/** The audit log: see src/platform/database/tables.ts. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const table = sql.raw(dialect === 'postgres' ? '' : 'strict, without rowid')
  const statements = [
    // No reference to advertisers: the log outlives what it is about.
    sql`create table audit_entries (
      scope ${integer} not null,
      number ${integer} not null,
      at ${integer} not null,
      actor_kind text not null,
      actor_id text not null,
      proof text not null,
      action text not null,
      target text not null,
      "before" text,
      "after" text,
      request_id text,
      prev text not null,
      hash text not null,
      address text,
      primary key (scope, number)
    ) ${table}`,
    sql`create index audit_entries_by_time on audit_entries (at)`,
    sql`create index audit_entries_addresses on audit_entries (at) where address is not null`,
    sql`create table audit_heads (
      scope ${integer} not null primary key,
      number ${integer} not null,
      at ${integer} not null,
      hash text not null,
      month text not null,
      first_number ${integer} not null,
      first_prev text not null
    ) ${table}`,
    sql`create table audit_seals (
      scope ${integer} not null,
      month text not null,
      first_number ${integer} not null,
      last_number ${integer} not null,
      prev text not null,
      hash text not null,
      dropped_at ${integer},
      primary key (scope, month)
    ) ${table}`,
  ]
  for (const statement of statements) await statement.execute(db)
}
