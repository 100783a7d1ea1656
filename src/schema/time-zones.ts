import { type Kysely, sql } from 'kysely'
import type { Schema } from '../platform/database/tables.ts'

/**
 * The time zones that companies have chosen. Steps from name to name through the index: there are some hundred zones,
 * however many companies there are.
 */
export async function timeZonesInUse(db: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`with recursive zone (name) as (
    select min(time_zone) from advertisers where time_zone > ''
    union all
    select (select min(time_zone) from advertisers where time_zone > zone.name) from zone where zone.name is not null
  ) select name from zone where name is not null`.execute(db)
  return rows.map(({ name }) => name)
}
