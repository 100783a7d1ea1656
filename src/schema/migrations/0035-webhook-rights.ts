import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'lets admins allow a credential to manage webhook endpoints'

/** 1 if an admin has allowed the credential to manage the company's webhook endpoints. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  await sql`alter table sws_credentials add column manages_webhooks ${integer} not null default 0`.execute(db)
}
