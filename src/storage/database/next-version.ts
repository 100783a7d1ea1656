import { sql } from 'kysely'
import type { EpochMs } from '../../core/clock.ts'

/**
 * The advertiser's next version: larger than the last, and at least the current time. A database that was set back, by a
 * backup or a lossy failover, must not reach the same version with other applications: readers and replicas of the lost
 * history would confuse the two.
 */
export function nextVersion(now: EpochMs) {
  return sql<number>`case when version >= ${now} then version + 1 else ${now} end`
}
