import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** Newcomers arrive where they were going. */
export async function up(db: Kysely<Schema>): Promise<void> {
  for (const statement of newcomers) await statement.execute(db)
}

const newcomers = [
  // Where the person was going, and a keyed hash that only the browser of the sign-up can make again.
  sql`alter table account_links add column continue_to text`,
  sql`alter table account_links add column browser_mark text`,
]
