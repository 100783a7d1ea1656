import type { Kysely } from 'kysely'
import { type SteadyClock, steadyClock } from '../../core/clock.ts'
import type { Replica, ReplicaCounts, Schema } from '../database/tables.ts'
import { openPool } from './pool.ts'
import type { PostgresOptions } from './pool-options.ts'
import { proveReplica, readReplicaLag } from './replica-state.ts'

export interface ReplicaOptions extends PostgresOptions {
  primary: Kysely<Schema>
  clock?: SteadyClock
  /** How long a replica that failed is not used. */
  pauseMs: number
  /** Called once per change, including the first check; `reason` says why the replica is no longer used. */
  onChange(change: { isAsked: true } | { isAsked: false; reason: unknown }): void
}

export function openReplica(options: ReplicaOptions): Replica {
  const { db, readRows, close } = openPool({ ...options, of: 'replica' })
  let isClosed = false
  // A check in progress fails when the pool is closed: no change to report.
  const onChange: ReplicaOptions['onChange'] = change => {
    if (!isClosed) options.onChange(change)
  }
  return {
    db,
    readRows,
    ...circuitBreaker({ ...options, onChange }, () => proveReplica(options.primary, db)),
    lag: () => readReplicaLag(options.primary, db),
    close() {
      isClosed = true
      return close()
    },
  }
}

/**
 * Uses a replica as long as it proves to be one and answers. The check runs beside the reads and never delays them:
 * until it succeeds, and while the replica is unavailable, the primary answers at once.
 */
export function circuitBreaker(
  { clock = steadyClock, pauseMs, onChange }: Pick<ReplicaOptions, 'clock' | 'pauseMs' | 'onChange'>,
  prove: () => Promise<void>,
): Pick<Replica, 'ask' | 'counts'> {
  const counts: ReplicaCounts = { answered: 0, behind: 0, failed: 0, away: 0 }
  let isAsked: boolean | undefined
  let nextCheckAt = Number.NEGATIVE_INFINITY

  function switchTo(change: Parameters<typeof onChange>[0]): void {
    if (isAsked === change.isAsked) return
    isAsked = change.isAsked
    onChange(change)
  }

  function check(): void {
    if (clock() < nextCheckAt) return
    nextCheckAt = clock() + pauseMs
    prove().then(
      () => switchTo({ isAsked: true }),
      reason => switchTo({ isAsked: false, reason }),
    )
  }

  return {
    counts: () => counts,
    async ask(read) {
      if (isAsked !== true) {
        counts.away += 1
        check()
        return undefined
      }
      try {
        const found = await read()
        counts[found === undefined ? 'behind' : 'answered'] += 1
        // A replica that was promoted never catches up.
        if (found === undefined) check()
        return found
      } catch (error) {
        counts.failed += 1
        if (!isRecoveryConflict(error)) {
          nextCheckAt = clock() + pauseMs
          switchTo({ isAsked: false, reason: error })
        }
        return undefined
      }
    },
  }
}

/** The replica replayed the removal of rows that the read still needed; its next read can succeed. */
function isRecoveryConflict(error: unknown): boolean {
  const { cause = error } = error as { cause?: unknown }
  return ['40001', '40P01'].includes((cause as { code?: string }).code ?? '')
}
