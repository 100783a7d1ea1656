import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'continues the emails of a process that died as soon as that is known'

/** Names the process that has claimed an email. */
export async function up(db: Kysely<Schema>): Promise<void> {
  await sql`alter table deliveries add column holder text`.execute(db)
}
