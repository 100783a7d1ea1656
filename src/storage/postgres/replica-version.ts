import { type Kysely, sql } from 'kysely'
import type { Schema } from '../database/tables.ts'

/**
 * Holds where the database follows the primary and has exactly this version of the advertiser. As a condition of the
 * read itself it is judged in the same moment as what is read, and before it: a replica that is behind costs an index
 * read. One that is ahead may show what the primary does not show yet, and perhaps never will: a commit that waits for
 * a synchronous standby is on the others already. A server that was promoted has a history of its own.
 */
export function hasVersion(db: Kysely<Schema>, advertiserId: number, version: number) {
  const ledger = db
    .selectFrom('advertiser_ledger')
    .select(sql.lit(1).as('one'))
    .where('advertiser_id', '=', advertiserId)
    .where('version', '=', version)
    .where(sql<boolean>`pg_is_in_recovery()`)
  return sql<boolean>`exists ${ledger}`
}
