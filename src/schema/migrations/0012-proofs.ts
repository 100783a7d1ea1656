import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'adds columns to sessions: when, how and from where a person proved who they are'

/** When and how the owner of a session proved who they are. Sessions of the release before have nulls. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const columns = [
    sql`proved_at ${integer}`,
    sql`proved_by text check (proved_by in ('password', 'passkey', 'totp', 'recovery', 'link'))`,
    sql`factors text`,
    sql`network text`,
  ]
  for (const column of columns) await sql`alter table sessions add column ${column}`.execute(db)
}
