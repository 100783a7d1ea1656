import { sql } from 'kysely'
import type { Database } from '../../src/storage/database/tables.ts'

/** Whether a statement waits for a row or a table that another transaction holds; PostgreSQL only. */
export async function isSomebodyWaiting({ reader }: Pick<Database, 'reader'>): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(reader)
  return rows.length > 0
}
