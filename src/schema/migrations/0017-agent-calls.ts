import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'adds the table of calls of agents by day'

/** Calls of agents by day, company and problem: see src/schema/people-tables.ts. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const table = sql.raw(dialect === 'postgres' ? '' : 'strict, without rowid')
  await sql`create table agent_call_days (
    agent_id ${integer} not null references agents (id),
    advertiser_id ${integer} not null references advertisers (id),
    day text not null,
    code text not null,
    calls ${integer} not null,
    last_at ${integer} not null,
    primary key (agent_id, day, advertiser_id, code)
  ) ${table}`.execute(db)
  await sql`create index agent_call_days_by_day on agent_call_days (day)`.execute(db)
}
