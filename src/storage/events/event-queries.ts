import { type Kysely, sql } from 'kysely'
import { restoredKey } from '../database/server-history.ts'
import type { Schema } from '../database/tables.ts'
import { integer } from '../database/typed-values.ts'

export interface PageValues<Owner> {
  owner: Owner
  after: number
  upTo: number
  /** One more than are wanted, to know whether there are more. */
  limit: number
  /** Bits of the wanted types. */
  types: number
}

export const isWanted = (types: number) => sql<boolean>`(1 << cast(type as integer)) & ${integer(types)} <> 0`

/** When the history changed last. */
export const restoredAt = <Name extends string>(db: Kysely<Schema>, name: Name) =>
  db.selectFrom('meta').select('value').where('key', '=', sql.lit(restoredKey)).as(name)

export const wantedEvents = (db: Kysely<Schema>, values: PageValues<number>) =>
  db
    .selectFrom('events')
    .select(['number', 'type', 'application_id', 'detail'])
    .where('advertiser_id', '=', values.owner)
    .where('number', '>', values.after)
    .where('number', '<=', values.upTo)
    .where(isWanted(values.types))
    .orderBy('number')
    // SQLite replans a statement whenever a bare LIMIT parameter is bound; with a sum it does not.
    .limit(sql<number>`${values.limit} + 0`)
