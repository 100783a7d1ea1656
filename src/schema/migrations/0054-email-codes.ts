import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'lets candidates sign in with a code from an email'

export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const table = sql.raw(dialect === 'postgres' ? '' : 'strict, without rowid')
  const statements = [
    // Of any address, whether it has an account or not.
    sql`create table email_codes (
      challenge text not null primary key,
      purpose text not null,
      email text not null,
      mac text,
      tries ${integer} not null default 0,
      made_at ${integer} not null,
      expires_at ${integer} not null,
      used_at ${integer}
    ) ${table}`,
    sql`create index email_codes_by_email on email_codes (email)`,
    sql`create index email_codes_by_expiry on email_codes (expires_at)`,
    // Release 0.1.0 knows neither the word "code" nor this column: there, such a session counts as opened by a link.
    sql`alter table sessions add column code_at ${integer}`,
  ]
  for (const statement of statements) await statement.execute(db)
}
