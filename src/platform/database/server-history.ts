import { type Kysely, sql, type Transaction } from 'kysely'
import { databaseNow } from './database-clock.ts'
import { lockMeta, putMeta, putMetaIfAbsent } from './meta.ts'
import type { Database, Dialect, Schema, ServerHistory } from './tables.ts'

/**
 * Detects lost IDs. A lossy failover or a restored backup also sets the sequences back, so IDs that pollers have seen
 * would silently be given to other applications. Lost IDs cannot be detected, but a different history can: PostgreSQL
 * begins a new timeline when a standby or a backup becomes a primary, and a dump is restored into another server or
 * database. So `meta` stores the history in which IDs were last drawn.
 */
const historyKey = 'history'

/** When IDs were last raised, in milliseconds: data that followers have read before may be lost. */
export const restoredKey = 'restored'

const actualHistory = sql<string>`(
  select system_identifier || '/' || (select oid from pg_database where datname = current_database())
    || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
  from pg_control_system())`

/**
 * Identifies a server process and its database. While a process accepts writes its history does not change, so a known
 * server needs no further check. It must come with each ID, because a pooler may silently switch servers.
 */
export const drawnFrom = sql<string>`pg_postmaster_start_time() || '/' || pg_relation_filepath('meta')`

export function createServerHistory(options: { raiseBy: number; onRaise(by: number): void }): ServerHistory {
  let known: string | undefined

  /** Lets a newly started process keep its first ID if the history is unchanged. */
  async function look(trx: Transaction<Schema>): Promise<string | undefined> {
    const { recorded, actual, server } = await stateOf(trx)
    if ((recorded ?? (await lockHistory(trx, actual))) !== actual) return undefined
    known = server
    return server
  }

  return {
    known: async trx => known ?? look(trx),
    async reconcile(trx) {
      const { recorded, actual, server } = await stateOf(trx)
      // Another node may already have done it.
      if (recorded !== actual && (await lockHistory(trx, actual)) !== actual) {
        await raise(trx, 'postgres', options.raiseBy)
        await putMeta(trx, historyKey, actual)
        options.onRaise(options.raiseBy)
      }
      known = server
    },
  }
}

/** Records the history, so that any later failover is noticed. */
export async function recordHistory(trx: Transaction<Schema>): Promise<void> {
  const { recorded, actual } = await stateOf(trx)
  if (recorded === null) await lockHistory(trx, actual)
}

/** Raises the IDs although the history looks unchanged: on SQLite, or after a dump was restored over its own source. */
export function raiseIds(
  { writer, dialect }: Database,
  by: number,
  record: (trx: Transaction<Schema>) => Promise<void>,
): Promise<void> {
  return writer.transaction().execute(async trx => {
    if (dialect === 'postgres') await lockHistory(trx, (await stateOf(trx)).actual)
    await raise(trx, dialect, by)
    await record(trx)
  })
}

let listed: readonly string[] = []

/**
 * Lists the kinds of IDs that are never used twice, once per process. Each has a counter on SQLite and a sequence of its own
 * on PostgreSQL. Handed over rather than read from the database, where another program may keep sequences, too.
 */
export function listIds(names: readonly string[]): void {
  listed = names
}

export function idNames(): readonly string[] {
  if (listed.length === 0) throw new Error('no kinds of IDs are listed')
  return listed
}

async function raise(trx: Transaction<Schema>, dialect: Dialect, by: number): Promise<void> {
  await sql`insert into meta (key, value) values (${restoredKey}, cast(${databaseNow(dialect)} as text))
    on conflict (key) do update set value = excluded.value`.execute(trx)
  if (dialect === 'sqlite') await sql`update counters set value = value + ${by}`.execute(trx)
  else
    for (const name of idNames())
      await sql`select setval(${sql.lit(name)}, nextval(${sql.lit(name)}) + ${by - 1})`.execute(trx)
}

/**
 * Returns the stored history; if there is none, stores `otherwise` and returns it. Until the end of the transaction, no
 * other process can raise IDs.
 */
async function lockHistory(trx: Transaction<Schema>, otherwise: string): Promise<string> {
  await putMetaIfAbsent(trx, historyKey, otherwise)
  return (await lockMeta(trx, 'postgres', historyKey)) as string
}

async function stateOf(db: Kysely<Schema>) {
  const { rows } = await sql<{ recorded: string | null; actual: string; server: string }>`
    select (select value from meta where key = ${historyKey}) as recorded,
      ${actualHistory} as actual, ${drawnFrom} as server`.execute(db)
  return rows[0] as (typeof rows)[0]
}
