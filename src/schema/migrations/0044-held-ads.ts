import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'keeps reports of job ads, and ads that operators hold or review'

export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const table = sql.raw(dialect === 'postgres' ? '' : 'strict, without rowid')
  const statements = [
    // Why an ad is not public: it waits for an operator's review, or an operator holds it. Null: it may be.
    sql`alter table job_ads add column hold text check (hold in ('review', 'held'))`,
    // What the company is told.
    sql`alter table job_ads add column hold_reason text`,
    sql`alter table job_ads add column held_at ${integer}`,
    // When an operator approved it; null if none had to.
    sql`alter table job_ads add column approved_at ${integer}`,
    sql`create table job_reports (
      id text primary key,
      advertiser_id ${integer} not null,
      job_ad_id ${integer} not null,
      reason text not null,
      details text not null,
      email text,
      reported_at ${integer} not null,
      outcome text check (outcome in ('held', 'kept')),
      last_at ${integer} not null
    ) ${table}`,
    sql`create index job_reports_by_ad on job_reports (job_ad_id, reported_at)`,
    sql`create index job_reports_open on job_reports (reported_at) where outcome is null`,
    sql`create index job_reports_by_time on job_reports (last_at)`,
    sql`create index job_reports_by_email on job_reports (email, reported_at) where email is not null`,
  ]
  for (const statement of statements) await statement.execute(db)
}
