import { sql } from 'kysely'
import type { EpochMs } from '../../core/clock.ts'

/**
 * The advertiser's next version: larger than the last, and at least the time. A database that was set back, by a backup
 * or by a failover that lost something, must not come to the same number with other applications: readers and replicas
 * of the lost history would take the one for the other.
 */
export function nextVersion(now: EpochMs) {
  return sql<number>`case when version >= ${now} then version + 1 else ${now} end`
}
