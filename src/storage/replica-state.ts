import { type Kysely, sql } from 'kysely'
import type { ReplicaLag, Schema } from './schema.ts'

interface Standing {
  /** The same for every copy of one database, and for no other. */
  identity: string
  isFollowing: boolean
}

async function standingOf(db: Kysely<Schema>): Promise<Standing> {
  const { rows } = await sql<Standing>`
    select system_identifier || '/' || (select oid from pg_database where datname = current_database()) as identity,
      pg_is_in_recovery() as "isFollowing"
    from pg_control_system()`.execute(db)
  return rows[0] as Standing
}

/** Rejects unless the replica follows this primary: versions of another database would mean nothing. */
export async function proveReplica(primary: Kysely<Schema>, replica: Kysely<Schema>): Promise<void> {
  const [own, there] = await Promise.all([standingOf(primary), standingOf(replica)])
  if (own.identity !== there.identity) throw new Error('it is no copy of the database of DATABASE_URL')
  if (!there.isFollowing) throw new Error('it follows no other server')
}

export async function readReplicaLag(primary: Kysely<Schema>, replica: Kysely<Schema>): Promise<ReplicaLag> {
  await proveReplica(primary, replica)
  const there = await sql<{ lsn: string; seconds: number | null }>`
    select pg_last_wal_replay_lsn()::text as lsn,
      extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 as seconds`.execute(
    replica,
  )
  const [{ lsn, seconds }] = there.rows as [(typeof there.rows)[0]]
  // After the replica, so that it is never ahead.
  const now = await sql<{ bytes: number }>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), ${lsn}::pg_lsn)::bigint as bytes`.execute(primary)
  const [{ bytes }] = now.rows as [(typeof now.rows)[0]]
  // When nothing is outstanding, its last transaction is old because there was no other.
  return { bytes, seconds: bytes === 0 ? 0 : (seconds ?? 0) }
}
