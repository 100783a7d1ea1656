import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'lets companies require two-step sign-in of their people'

/** One if the people of the company need a second factor. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  await sql`alter table advertisers add column requires_factor ${integer} not null default 0`.execute(db)
}
