import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does =
  'adds the statuses In review, Interview and Offer; rewrites the applications on SQLite, and changes a check on PostgreSQL'

export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  for (const statement of dialect === 'postgres' ? onPostgres : onSqlite) await statement.execute(db)
}

const known = sql.raw(
  `'new', 'seen', 'in-review', 'shortlisted', 'interview', 'offer', 'not-suitable', 'hired', 'withdrawn'`,
)

// The former check was stricter, so no row needs to be read.
const onPostgres = [
  sql`alter table applications drop constraint applications_status_check`,
  sql`alter table applications add constraint applications_status_check check (status in (${known})) not valid`,
]

// SQLite cannot change a check without a name: the column is replaced, in the transaction of all migrations before the
// process serves. A million applications of 250 bytes took ten seconds, and 330 MB of log until the commit.
const onSqlite = [
  sql`drop index applications_by_status`,
  sql`drop index applications_by_ad_and_status`,
  sql`alter table applications add column reported_status text not null default 'seen' check (reported_status in (${known}))`,
  sql`update applications set reported_status = status`,
  sql`alter table applications drop column status`,
  sql`alter table applications rename column reported_status to status`,
  sql`create index applications_by_status on applications (advertiser_id, status, id)`,
  sql`create index applications_by_ad_and_status on applications (advertiser_id, job_ad_id, status, id)
    where job_ad_id is not null`,
]
