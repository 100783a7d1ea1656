import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'records which program reported a status, with its own stage and its reason'

/** Null: a person of the company, the candidate, or a release that knew no other source. */
export async function up(db: Kysely<Schema>, _dialect: Dialect): Promise<void> {
  const statements = [
    sql`alter table application_history add column source text`,
    // The credential of the company, or the client of the agent.
    sql`alter table application_history add column source_id text`,
    sql`alter table application_history add column label text`,
    sql`alter table application_history add column reason text`,
  ]
  for (const statement of statements) await statement.execute(db)
}
