import type { Kysely } from 'kysely'
import { type SteadyClock, steadyClock } from '../../core/clock.ts'
import type { Replica, ReplicaCounts, Schema } from '../database/tables.ts'
import { openPool, type PostgresOptions } from './pool.ts'
import { proveReplica, readReplicaLag } from './replica-state.ts'

export interface ReplicaOptions extends PostgresOptions {
  primary: Kysely<Schema>
  clock?: SteadyClock
  /** How long one that failed is left alone. */
  pauseMs: number
  /** Once per change; the first look is one. `reason` tells why it is not asked any more. */
  onChange(change: { isAsked: true } | { isAsked: false; reason: unknown }): void
}

export function openReplica(options: ReplicaOptions): Replica {
  const { db, readRows, close } = openPool({ ...options, of: 'replica' })
  let isClosed = false
  // A look that is under way then fails, which is no news.
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
 * Asks a replica as long as it proves to be one and answers. The proof is taken beside the reads and never in
 * their way: until it is there, and while the replica is away, the primary answers at once.
 */
export function circuitBreaker(
  { clock = steadyClock, pauseMs, onChange }: Pick<ReplicaOptions, 'clock' | 'pauseMs' | 'onChange'>,
  prove: () => Promise<void>,
): Pick<Replica, 'ask' | 'counts'> {
  const counts: ReplicaCounts = { answered: 0, behind: 0, failed: 0, away: 0 }
  let isAsked: boolean | undefined
  let nextLookAt = Number.NEGATIVE_INFINITY

  function turn(change: Parameters<typeof onChange>[0]): void {
    if (isAsked === change.isAsked) return
    isAsked = change.isAsked
    onChange(change)
  }

  function look(): void {
    if (clock() < nextLookAt) return
    nextLookAt = clock() + pauseMs
    prove().then(
      () => turn({ isAsked: true }),
      reason => turn({ isAsked: false, reason }),
    )
  }

  return {
    counts: () => counts,
    async ask(read) {
      if (isAsked !== true) {
        counts.away += 1
        look()
        return undefined
      }
      try {
        const found = await read()
        counts[found === undefined ? 'behind' : 'answered'] += 1
        // It may have been promoted, and will then never catch up.
        if (found === undefined) look()
        return found
      } catch (error) {
        counts.failed += 1
        if (!isRecoveryConflict(error)) {
          nextLookAt = clock() + pauseMs
          turn({ isAsked: false, reason: error })
        }
        return undefined
      }
    },
  }
}

/** What it replays has removed rows that the read still needed: the next read may be asked of it again. */
function isRecoveryConflict(error: unknown): boolean {
  const { cause = error } = error as { cause?: unknown }
  return ['40001', '40P01'].includes((cause as { code?: string }).code ?? '')
}
