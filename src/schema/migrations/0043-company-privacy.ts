import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'keeps the privacy notices of companies, and which one an application was sent under'

export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const table = sql.raw(dialect === 'postgres' ? '' : 'strict, without rowid')
  const statements = [
    // The newest version of a company is in force; with neither address nor text, the company has removed its notice.
    sql`create table privacy_notices (
      advertiser_id ${integer} not null,
      version ${integer} not null,
      url text,
      content text,
      created_at ${integer} not null,
      primary key (advertiser_id, version)
    ) ${table}`,
    // The version above "Send application"; null if there was none.
    sql`alter table applications add column privacy_version ${integer}`,
  ]
  for (const statement of statements) await statement.execute(db)
}
