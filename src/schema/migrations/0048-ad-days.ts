import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does =
  'records which job ads were last changed when their days ended in Australian Eastern Standard Time'

/** The days keep their text: see docs/decisions/107-close-ads-in-the-time-zone-of-the-company.md. */
export async function up(db: Kysely<Schema>): Promise<void> {
  // Of the ads themselves, so that it needs no clock. A new board has no ads, and no row.
  await sql`insert into meta (key, value)
    select 'aest-ads-until', cast(max(updated_at) as text) from job_ads having max(updated_at) is not null`.execute(
    db,
  )
}
