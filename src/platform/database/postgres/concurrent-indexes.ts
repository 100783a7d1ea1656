import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../tables.ts'

export interface NewIndex {
  name: string
  /** The part of the statement after the index name: `on applications (…)`. */
  on: string
}

/** How often to check whether another process has built the index. */
const lookMs = 500

interface Found {
  is_valid: boolean
  is_being_built: boolean
}

/**
 * Builds indexes on PostgreSQL without locking out writes. That takes several transactions, so a killed process leaves
 * an invalid index, which is built again.
 */
export async function buildConcurrently(db: Kysely<Schema>, indexes: readonly NewIndex[]): Promise<void> {
  for (const index of indexes) await build(db, index)
}

async function build(db: Kysely<Schema>, { name, on }: NewIndex): Promise<void> {
  for (;;) {
    const { rows } = await sql<Found>`select i.indisvalid as is_valid,
        exists (select 1 from pg_stat_progress_create_index p where p.relid = i.indrelid) as is_being_built
      from pg_index i join pg_class c on c.oid = i.indexrelid
      where c.relname = ${name} and c.relnamespace = current_schema()::regnamespace`.execute(db)
    const [found] = rows
    if (found?.is_valid) return
    if (found?.is_being_built) await sleep(lookMs)
    else if (found !== undefined) await sql.raw(`drop index concurrently if exists ${name}`).execute(db)
    else await create(db, name, on)
  }
}

async function create(db: Kysely<Schema>, name: string, on: string): Promise<void> {
  const table = /^on (\w+)/.exec(on)?.[1] ?? ''
  const { rows } = await sql`select 1 from pg_class
    where oid = to_regclass(${table}) and relkind = 'p'`.execute(db)
  // PostgreSQL cannot build indexes of partitioned tables concurrently.
  const how = rows.length > 0 ? '' : 'concurrently'
  try {
    await sql.raw(`create index ${how} ${name} ${on}`).execute(db)
  } catch (error) {
    const { code, cause } = error as { code?: string; cause?: { code?: string } }
    // Another process is building it as well: duplicate_table, or a deadlock, because each waits for older transactions.
    if (code !== '42P07' && ![code, cause?.code].includes('40P01')) throw error
  }
}
