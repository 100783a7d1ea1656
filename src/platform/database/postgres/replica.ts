import { type Kysely, sql } from 'kysely'
import { type SteadyClock, steadyClock } from '../../core/clock.ts'
import type { Replica, ReplicaCounts, ReplicaLag, Schema } from '../tables.ts'
import { openPool } from './pool.ts'
import type { PostgresOptions } from './pool-options.ts'

/**
 * Limit: How long a read waits for the replica before it uses the primary, separately for a connection, the statement
 * and the round trip.
 */
const replicaWaitMs = 1_000
/** Limit: How long to wait before trying a failed replica again. */
const replicaPauseMs = 5_000

const bounds = { replicaWaitMs, replicaPauseMs }

export interface ReplicaOptions extends PostgresOptions {
  primary: Kysely<Schema>
  clock?: SteadyClock
  limits: Partial<typeof bounds>
  /** Called once per change, including the first check; `reason` says why the replica is no longer used. */
  onChange(change: { isAsked: true } | { isAsked: false; reason: unknown }): void
}

export function openReplica(options: ReplicaOptions): Replica {
  const { replicaWaitMs: waitMs, replicaPauseMs: pauseMs } = { ...bounds, ...options.limits }
  const waits = { connectMs: waitMs, statementTimeoutMs: waitMs, answerMarginMs: waitMs }
  const { db, readRows, close } = openPool({ ...options, ...waits, of: 'replica' })
  let isClosed = false
  // A check in progress fails when the pool is closed: no change to report.
  const onChange: ReplicaOptions['onChange'] = change => {
    if (!isClosed) options.onChange(change)
  }
  return {
    db,
    readRows,
    ...circuitBreaker({ ...options, pauseMs, onChange }, () => proveReplica(options.primary, db)),
    lag: () => readReplicaLag(options.primary, db),
    close() {
      isClosed = true
      return close()
    },
  }
}

/**
 * Uses a replica as long as it proves to be one and answers. Checks run in parallel with the reads and never delay
 * them: until one succeeds, and while the replica is unavailable, the primary answers immediately.
 */
export function circuitBreaker(
  {
    clock = steadyClock,
    pauseMs,
    onChange,
  }: Pick<ReplicaOptions, 'clock' | 'onChange'> & { pauseMs: number },
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

interface ServerState {
  /** Shared by all copies of one database, and by no other database. */
  identity: string
  isFollowing: boolean
}

async function readState(db: Kysely<Schema>): Promise<ServerState> {
  const { rows } = await sql<ServerState>`
    select system_identifier || '/' || (select oid from pg_database where datname = current_database()) as identity,
      pg_is_in_recovery() as "isFollowing"
    from pg_control_system()`.execute(db)
  return rows[0] as ServerState
}

/** Rejects unless the replica follows this primary, because another database's versions mean nothing here. */
async function proveReplica(primary: Kysely<Schema>, replica: Kysely<Schema>): Promise<void> {
  const [own, there] = await Promise.all([readState(primary), readState(replica)])
  if (own.identity !== there.identity) throw new Error('it is not a copy of the database of DATABASE_URL')
  if (!there.isFollowing) throw new Error('it follows no other server')
}

async function readReplicaLag(primary: Kysely<Schema>, replica: Kysely<Schema>): Promise<ReplicaLag> {
  await proveReplica(primary, replica)
  // Read before the replica's position, so that a replica that keeps up with a busy primary has no lag.
  const { rows } = await sql<{ lsn: string }>`select pg_current_wal_flush_lsn()::text as lsn`.execute(primary)
  const [{ lsn }] = rows as [(typeof rows)[0]]
  const there = await sql<ReplicaLag>`
    select greatest(0, pg_wal_lsn_diff(${lsn}::pg_lsn, pg_last_wal_replay_lsn()))::bigint as bytes,
      coalesce(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()), 0)::float8 as seconds`.execute(
    replica,
  )
  return there.rows[0] as ReplicaLag
}
