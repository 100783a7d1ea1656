import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'keeps the versions of job ads, and which one an application was sent for'

export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const table = sql.raw(dialect === 'postgres' ? '' : 'strict, without rowid')
  const statements = [
    sql`create table ad_versions (
      advertiser_id ${integer} not null,
      job_ad_id ${integer} not null,
      version ${integer} not null,
      content text not null,
      hash text not null,
      created_at ${integer} not null,
      replaced_at ${integer},
      primary key (advertiser_id, job_ad_id, version)
    ) ${table}`,
    sql`create index ad_versions_replaced on ad_versions (replaced_at) where replaced_at is not null`,
    // The version that the candidate saw; null if none is known.
    sql`alter table applications add column ad_version ${integer}`,
  ]
  for (const statement of statements) await statement.execute(db)
}
