import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'adds the table of passkeys'

/** Passkeys: public keys only. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const isPostgres = dialect === 'postgres'
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  const statements = [
    sql`create table passkeys (
      id text not null primary key,
      candidate_id text not null references candidates (id),
      name text not null,
      rp_id text not null,
      public_key text not null,
      counter ${integer} not null,
      transports text not null,
      created_at ${integer} not null,
      last_used_at ${integer} not null
    ) ${sql.raw(isPostgres ? '' : 'strict, without rowid')}`,
    sql`create index passkeys_by_candidate on passkeys (candidate_id, created_at, id)`,
  ]
  for (const statement of statements) await statement.execute(db)
}
