import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'adds the tables of operators and of how background work ended'

/** The people who run the board, and how each background task ended last. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const isPostgres = dialect === 'postgres'
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  const table = sql.raw(isPostgres ? '' : 'strict, without rowid')
  const role = sql.raw(`role text not null check (role in ('operator', 'viewer'))`)
  const statements = [
    sql`create table operators (
      candidate_id text not null primary key references candidates (id),
      ${role},
      created_at ${integer} not null
    ) ${table}`,
    sql`create table operator_invitations (
      hash text not null primary key,
      id text not null unique,
      email text not null unique,
      ${role},
      created_at ${integer} not null,
      expires_at ${integer} not null
    ) ${table}`,
    sql`create index operator_invitations_by_expiry on operator_invitations (expires_at)`,
    sql`create table task_runs (
      name text not null primary key,
      started_at ${integer} not null,
      ended_at ${integer} not null,
      outcome text not null check (outcome in ('done', 'failed')),
      detail text not null,
      failed_at ${integer},
      fault text,
      every_seconds ${integer} not null
    ) ${table}`,
  ]
  for (const statement of statements) await statement.execute(db)
}
