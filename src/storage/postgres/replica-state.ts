import { type Kysely, sql } from 'kysely'
import type { ReplicaLag, Schema } from '../database/tables.ts'

interface ServerState {
  /** Equal for all copies of one database, and only for those. */
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

/** Rejects unless the replica follows this primary, because the versions of another database mean nothing here. */
export async function proveReplica(primary: Kysely<Schema>, replica: Kysely<Schema>): Promise<void> {
  const [own, there] = await Promise.all([readState(primary), readState(replica)])
  if (own.identity !== there.identity) throw new Error('it is not a copy of the database of DATABASE_URL')
  if (!there.isFollowing) throw new Error('it follows no other server')
}

export async function readReplicaLag(primary: Kysely<Schema>, replica: Kysely<Schema>): Promise<ReplicaLag> {
  await proveReplica(primary, replica)
  // Read before the replica's position: a replica that keeps up with a busy primary then has no lag.
  const { rows } = await sql<{ lsn: string }>`select pg_current_wal_flush_lsn()::text as lsn`.execute(primary)
  const [{ lsn }] = rows as [(typeof rows)[0]]
  const there = await sql<ReplicaLag>`
    select greatest(0, pg_wal_lsn_diff(${lsn}::pg_lsn, pg_last_wal_replay_lsn()))::bigint as bytes,
      coalesce(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()), 0)::float8 as seconds`.execute(
    replica,
  )
  return there.rows[0] as ReplicaLag
}
