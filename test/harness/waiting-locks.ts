import { sql } from 'kysely'
import type { Database } from '../../src/platform/database/tables.ts'

/** How many statements wait for a row or a table that another transaction holds; PostgreSQL only. */
export async function countWaiting({ reader }: Pick<Database, 'reader'>): Promise<number> {
  const { rows } = await sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(reader)
  return rows.length
}

export const isSomebodyWaiting = async (database: Pick<Database, 'reader'>): Promise<boolean> =>
  (await countWaiting(database)) > 0
