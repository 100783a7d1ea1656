import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does =
  'keeps the kinds of questions with their answers, and the references that companies give them'

export async function up(db: Kysely<Schema>): Promise<void> {
  // One entry per question, as JSON: what version 1 has no word for.
  await sql`alter table application_screens add column details text`.execute(db)
}
