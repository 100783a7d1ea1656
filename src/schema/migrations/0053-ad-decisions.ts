import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'keeps what operators decide about job ads'

export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const table = sql.raw(dialect === 'postgres' ? '' : 'strict, without rowid')
  const statements = [
    // Apart from the audit log, which the operator may keep for a shorter time, and which has no free text.
    sql`create table ad_decisions (
      job_ad_id ${integer} not null,
      number ${integer} not null,
      act text not null check (act in ('hold', 'release', 'approve', 'dismiss')),
      reason text,
      actor text not null,
      decided_at ${integer} not null,
      primary key (job_ad_id, number)
    ) ${table}`,
    sql`create index ad_decisions_by_time on ad_decisions (decided_at)`,
  ]
  for (const statement of statements) await statement.execute(db)
}
