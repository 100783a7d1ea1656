import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'remembers which webhook endpoints have lost their key'

/** Since when; null while the service has the key that the secret of the endpoint is derived from. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  await sql`alter table webhook_endpoints add column key_lost_at ${integer}`.execute(db)
}
