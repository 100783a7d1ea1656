import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database, Dialect, Schema, ServerHistory } from './tables.ts'

export const idNames = ['application_ids', 'job_ad_ids', 'screen_ids'] as const
export type IdName = (typeof idNames)[number]

/**
 * A failover that lost something, or a backup, sets the sequences back too, and IDs that pollers have seen would be given
 * to other applications, behind everybody's back. What was lost cannot be known, but that it is another history can:
 * PostgreSQL begins a new timeline when a standby or a backup becomes a primary, and what a dump is brought into is
 * another server or another database. So `meta` keeps the history in which IDs were drawn last.
 */
const historyKey = 'history'

const actualHistory = sql<string>`(
  select system_identifier || '/' || (select oid from pg_database where datname = current_database())
    || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
  from pg_control_system())`

/**
 * A process of a server, and a database of it: the history of one that takes writes does not change until it ends. So
 * this costs nothing to speak of where the history is known, and must come with each ID: a pooler leads elsewhere
 * without a word.
 */
export const drawnFrom = sql<string>`pg_postmaster_start_time() || '/' || pg_relation_filepath('meta')`

export function createServerHistory(options: { raiseBy: number; onRaise(by: number): void }): ServerHistory {
  let known: string | undefined

  /** So that a process that has just started throws no ID away where all is as it was. */
  async function look(trx: Transaction<Schema>): Promise<string | undefined> {
    const { recorded, actual, server } = await stateOf(trx)
    if ((recorded ?? (await lockHistory(trx, actual))) !== actual) return undefined
    known = server
    return server
  }

  return {
    known: async trx => known ?? look(trx),
    async settle(trx) {
      const { recorded, actual, server } = await stateOf(trx)
      // Unless another node was faster.
      if (recorded !== actual && (await lockHistory(trx, actual)) !== actual) {
        await raise(trx, 'postgres', options.raiseBy)
        await trx.updateTable('meta').set({ value: actual }).where('key', '=', historyKey).execute()
        options.onRaise(options.raiseBy)
      }
      known = server
    },
  }
}

/** From now on a failover is noticed, also one that loses whatever comes next. */
export async function recordHistory(trx: Transaction<Schema>): Promise<void> {
  const { recorded, actual } = await stateOf(trx)
  if (recorded === null) await lockHistory(trx, actual)
}

/** For a history that cannot be told from the one before: of SQLite, or of a dump in the place of what it was taken from. */
export function raiseIds({ writer, dialect }: Database, by: number): Promise<void> {
  return writer.transaction().execute(async trx => {
    if (dialect === 'postgres') await lockHistory(trx, (await stateOf(trx)).actual)
    await raise(trx, dialect, by)
  })
}

async function raise(trx: Transaction<Schema>, dialect: Dialect, by: number): Promise<void> {
  if (dialect === 'sqlite') await sql`update counters set value = value + ${by}`.execute(trx)
  else
    for (const name of idNames)
      await sql`select setval(${sql.lit(name)}, nextval(${sql.lit(name)}) + ${by - 1})`.execute(trx)
}

/** Until the end of the transaction nobody else raises IDs. The history that is there, or this one where there is none. */
async function lockHistory(trx: Transaction<Schema>, otherwise: string): Promise<string> {
  const row = { key: historyKey, value: otherwise }
  await trx
    .insertInto('meta')
    .values(row)
    .onConflict(conflict => conflict.column('key').doNothing())
    .execute()
  const { value } = await trx
    .selectFrom('meta')
    .select('value')
    .where('key', '=', historyKey)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return value
}

async function stateOf(db: Kysely<Schema>) {
  const { rows } = await sql<{ recorded: string | null; actual: string; server: string }>`
    select (select value from meta where key = ${historyKey}) as recorded,
      ${actualHistory} as actual, ${drawnFrom} as server`.execute(db)
  return rows[0] as (typeof rows)[0]
}
