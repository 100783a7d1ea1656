import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'keeps applications for other jobs whose candidates allow it'

export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const table = sql.raw(dialect === 'postgres' ? '' : 'strict, without rowid')
  const statements = [
    // What the form offers; null: nothing.
    sql`alter table advertisers add column keep_months ${integer}`,
    // The last day, in the time zone of the company. A consent that is withdrawn has no row.
    sql`create table kept_applications (
      advertiser_id ${integer} not null,
      application_id ${integer} not null,
      until text not null,
      reminded_at ${integer},
      primary key (advertiser_id, application_id)
    ) ${table}`,
    sql`create index kept_applications_to_remind on kept_applications (until) where reminded_at is null`,
  ]
  for (const statement of statements) await statement.execute(db)
}
