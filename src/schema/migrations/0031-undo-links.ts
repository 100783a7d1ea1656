import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'lets a person undo a change of how they sign in, by the link in the email about it'

/** Changes that can be undone, and the links that undo them. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const isPostgres = dialect === 'postgres'
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  const table = sql.raw(isPostgres ? '' : 'strict, without rowid')
  const statements = [
    sql`create table undo_links (
      hash text not null primary key,
      change_id text not null,
      candidate_id text not null references candidates (id),
      kind text not null check (kind in ('factor', 'email', 'password')),
      email text not null,
      changed_at ${integer} not null,
      expires_at ${integer} not null
    ) ${table}`,
    sql`create index undo_links_of_candidate on undo_links (candidate_id, changed_at)`,
    sql`create index undo_links_by_expiry on undo_links (expires_at)`,
  ]
  for (const statement of statements) await statement.execute(db)
}
