import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'keeps country, pay and further details of job ads'

export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const statements = [
    // As JSON. The other columns repeat what the list of jobs is filtered by.
    sql`alter table job_ads add column details text`,
    sql`alter table job_ads add column workplace text`,
    sql`alter table job_ads add column employment_types text`,
    sql`alter table job_ads add column has_pay ${integer} not null default 0`,
  ]
  for (const statement of statements) await statement.execute(db)
}
