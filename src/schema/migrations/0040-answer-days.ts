import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'lets companies choose after how many days an application counts as unanswered'

export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const statements = [
    // What the company chose; null: the default.
    sql`alter table advertisers add column answer_days ${integer}`,
    // How many of its applications are unanswered, as background work has counted them; null before it has.
    sql`alter table advertisers add column unanswered ${integer}`,
  ]
  for (const statement of statements) await statement.execute(db)
}
