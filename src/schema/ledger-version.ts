import { type Kysely, sql } from 'kysely'
import type { Schema } from '../platform/database/tables.ts'

/**
 * True if the database follows the primary and has exactly this version, or last event, of the advertiser. As a
 * condition of the read itself it sees the same snapshot, and is evaluated first: a replica that lags costs one index
 * read. A replica that is ahead may show rows that the primary does not show yet and perhaps never will, because a
 * commit that still waits for a synchronous standby is already on the others. A promoted server has its own history.
 */
export function hasVersion(
  db: Kysely<Schema>,
  advertiserId: number,
  version: number,
  column: 'version' | 'event_number' = 'version',
) {
  const ledger = db
    .selectFrom('advertiser_ledger')
    .select(sql.lit(1).as('one'))
    .where('advertiser_id', '=', advertiserId)
    .where(column, '=', version)
    .where(sql<boolean>`pg_is_in_recovery()`)
  return sql<boolean>`exists ${ledger}`
}

/** Time of the last event: events are numbered by their time, or by one more than the last number. */
export async function lastEventAt(db: Kysely<Schema>): Promise<number | undefined> {
  const { last } = await db
    .selectFrom('advertiser_ledger')
    .select(({ fn }) => fn.max<number | null>('event_number').as('last'))
    .executeTakeFirstOrThrow()
  return last || undefined
}
