import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'lets companies choose what candidates are told, and holds the emails of many decisions'

export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const table = sql.raw(dialect === 'postgres' ? '' : 'strict, without rowid')
  const statements = [
    // Of which changes of status candidates are told by email.
    sql`alter table advertisers add column candidate_emails text not null default 'decisions'
      check (candidate_emails in ('decisions', 'everything', 'nothing'))`,
    // 1 if candidates see the reasons that programs report.
    sql`alter table advertisers add column shows_reasons ${integer} not null default 0`,
    // The last decision on an application that its candidate was to hear of, for ten minutes.
    sql`create table recent_decisions (
      advertiser_id ${integer} not null,
      application_id ${integer} not null,
      former text not null,
      status text not null,
      decided_at ${integer} not null,
      held_until ${integer},
      delivery_id text,
      primary key (advertiser_id, application_id)
    ) ${table}`,
    sql`create index recent_decisions_by_status on recent_decisions (advertiser_id, status, decided_at)`,
    sql`create index recent_decisions_by_time on recent_decisions (decided_at)`,
  ]
  for (const statement of statements) await statement.execute(db)
}
