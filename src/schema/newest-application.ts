import { type RawBuilder, sql } from 'kysely'

/** The ID of an advertiser's newest application; 0 if it has none. */
export function newestApplication(advertiserId: number): RawBuilder<number> {
  return sql`coalesce((select max(id) from applications where advertiser_id = ${advertiserId}), 0)`
}
