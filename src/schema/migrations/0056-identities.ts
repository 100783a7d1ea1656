import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'lets people sign in with an OpenID provider'

export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const isPostgres = dialect === 'postgres'
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  const statements = [
    // Release 0.1.0 deletes accounts without knowing the table.
    sql`create table identities (
      issuer text not null,
      subject text not null,
      candidate_id text not null references candidates (id) on delete cascade,
      linked_at ${integer} not null,
      last_used_at ${integer} not null,
      primary key (issuer, subject)
    ) ${sql.raw(isPostgres ? '' : 'strict, without rowid')}`,
    sql`create unique index identities_by_candidate on identities (candidate_id, issuer)`,
    // There, such a session counts as opened by a link.
    ...['provider_issuer', 'provider_subject', 'provider_session'].map(
      column => sql`alter table sessions add column ${sql.ref(column)} text`,
    ),
  ]
  for (const statement of statements) await statement.execute(db)
}
