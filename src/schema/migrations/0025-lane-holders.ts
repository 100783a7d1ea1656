import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'continues the webhooks of a process that died as soon as that is known'

/** Names the process that holds a lane, and marks lanes of messages about the stream. */
export async function up(db: Kysely<Schema>): Promise<void> {
  await sql`alter table webhook_lanes add column holder text`.execute(db)
  await sql`alter table webhook_lanes add column notice text check (notice in ('gap', 'restored'))`.execute(
    db,
  )
}
