import { sql } from 'kysely'
import type { EpochMs } from '../../platform/core/clock.ts'

/**
 * The advertiser's next number, of a version of its list, of an event, or of both: larger than the last of either, and
 * at least the current time. A database restored from a backup, or after a lossy failover, must not reach the same
 * number with other content: readers and replicas of the lost history would confuse the two.
 */
export function nextVersion(now: EpochMs) {
  const last = sql`case when version > event_number then version else event_number end`
  return sql<number>`case when (${last}) >= ${now} then (${last}) + 1 else ${now} end`
}
