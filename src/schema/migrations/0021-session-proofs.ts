import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'records when a session showed the password and the second factor'

/** Proofs of a session one by one, and the last password that came through the mailbox. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const isPostgres = dialect === 'postgres'
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  const table = sql.raw(isPostgres ? '' : 'strict, without rowid')
  const statements = [
    sql`alter table sessions add column password_at ${integer}`,
    sql`alter table sessions add column factor_at ${integer}`,
    sql`alter table sessions add column factor_by text check (factor_by in ('passkey', 'totp', 'recovery'))`,
    sql`alter table sessions add column passkey_id text`,
    sql`create table mailbox_passwords (
      candidate_id text not null primary key references candidates (id),
      set_at ${integer} not null
    ) ${table}`,
  ]
  for (const statement of statements) await statement.execute(db)
}
