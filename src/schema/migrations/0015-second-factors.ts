import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'adds the tables of authenticator apps and recovery codes'

/** Authenticator apps and recovery codes. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const isPostgres = dialect === 'postgres'
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  const table = sql.raw(isPostgres ? '' : 'strict, without rowid')
  const statements = [
    sql`create table totp_factors (
      candidate_id text not null primary key references candidates (id),
      secret text not null,
      last_step ${integer} not null,
      created_at ${integer} not null,
      last_used_at ${integer} not null
    ) ${table}`,
    sql`create table recovery_codes (
      candidate_id text not null references candidates (id),
      hash text not null,
      created_at ${integer} not null,
      primary key (candidate_id, hash)
    ) ${table}`,
  ]
  for (const statement of statements) await statement.execute(db)
}
