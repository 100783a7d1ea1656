import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'gathers withdrawals into the emails about new applications'

/** Withdrawn applications that a member has not been notified of yet. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const table = sql.raw(dialect === 'postgres' ? '' : 'strict, without rowid')
  await sql`create table untold_withdrawals (
    advertiser_id ${integer} not null,
    candidate_id text not null,
    application_id ${integer} not null,
    primary key (advertiser_id, candidate_id, application_id),
    foreign key (advertiser_id, candidate_id) references memberships (advertiser_id, candidate_id) on delete cascade
  ) ${table}`.execute(db)
}
