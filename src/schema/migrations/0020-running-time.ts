import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'counts how long the service has run, so that a wrong clock erases nothing'

/**
 * The running time of the service, and whether its clock is in doubt; and for each planned erasure the running time from
 * which it may be done; 0 for what a candidate has caused, and for plans of release 0.1.0, which are made again.
 */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const isPostgres = dialect === 'postgres'
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  const table = sql.raw(isPostgres ? '' : 'strict, without rowid')
  const statements = [
    sql`create table service_clock (
      id ${integer} not null primary key check (id = 1),
      ticks ${integer} not null,
      running_ms ${integer} not null,
      seen_at ${integer} not null,
      doubted_from ${integer},
      doubt_ms ${integer} not null,
      further_ms ${integer} not null
    ) ${table}`,
    sql`alter table erasures add column ripe_at ${integer} not null default 0`,
  ]
  for (const statement of statements) await statement.execute(db)
}
