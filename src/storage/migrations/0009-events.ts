import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../database/tables.ts'

/** What happened, for programs that follow it: one log per advertiser, and one per OAuth client. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const table = sql.raw(dialect === 'postgres' ? '' : 'strict, without rowid')

  const statements = [
    // The number of the last event, and the highest number that was removed. Numbers are drawn under the lock of the row.
    sql`alter table advertiser_ledger add column event_number ${integer} not null default 0`,
    sql`alter table advertiser_ledger add column events_from ${integer} not null default 0`,
    sql`create table events (
      advertiser_id ${integer} not null references advertisers (id),
      number ${integer} not null,
      type ${integer} not null,
      application_id ${integer},
      detail text not null,
      primary key (advertiser_id, number)
    ) ${table}`,
    // For the history of one application; its first event is in its own row already.
    sql`create index events_by_application on events (advertiser_id, application_id, number)
      where application_id is not null and type > 2`,

    sql`create table client_ledger (
      client_id text not null primary key references oauth_clients (id),
      event_number ${integer} not null,
      events_from ${integer} not null default 0
    ) ${table}`,
    sql`create table client_events (
      client_id text not null references oauth_clients (id),
      number ${integer} not null,
      type ${integer} not null,
      detail text not null,
      primary key (client_id, number)
    ) ${table}`,
  ]
  for (const statement of statements) await statement.execute(db)
}
