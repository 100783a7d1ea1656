import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

/** What happened, for programs that follow it: one log per advertiser, and one per OAuth client. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const table = sql.raw(dialect === 'postgres' ? '' : 'strict, without rowid')
  const rowTable = sql.raw(dialect === 'postgres' ? '' : 'strict')

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

    // Where to send events. No secret is stored: keys are derived from WEBHOOK_KEY.
    sql`create table webhook_endpoints (
      id text not null primary key,
      advertiser_id ${integer} references advertisers (id),
      agent_id ${integer} references agents (id),
      url text not null,
      description text not null,
      types text not null,
      scheme text not null check (scheme in ('v1', 'v1a')),
      state text not null check (state in ('new', 'active', 'paused', 'stopped')),
      generation ${integer} not null default 1,
      overlap_until ${integer},
      created_at ${integer} not null,
      rotated_at ${integer} not null,
      failing_since ${integer},
      failed_at ${integer},
      succeeded_at ${integer},
      told ${integer} not null default 0,
      stopped_at ${integer},
      stop_reason text check (stop_reason in ('gone', 'failing')),
      answer_ms ${integer},
      skew_ms ${integer},
      check ((advertiser_id is null) <> (agent_id is null))
    ) ${rowTable}`,
    sql`create index webhook_endpoints_by_advertiser on webhook_endpoints (advertiser_id) where advertiser_id is not null`,
    sql`create index webhook_endpoints_by_agent on webhook_endpoints (agent_id) where agent_id is not null`,
    sql`create index webhook_endpoints_failing on webhook_endpoints (failing_since) where failing_since is not null`,
    // How far each endpoint has come in the stream of each advertiser. A delivery has no row of its own.
    sql`create table webhook_lanes (
      id text not null primary key,
      endpoint_id text not null references webhook_endpoints (id),
      advertiser_id ${integer} not null references advertisers (id),
      kind text not null check (kind in ('live', 'replay', 'parked')),
      sent ${integer} not null,
      end_number ${integer},
      types text,
      tries ${integer} not null default 0,
      due_at ${integer} not null,
      lease ${integer} not null default 0,
      leased_until ${integer} not null default 0,
      delivered ${integer} not null default 0,
      created_at ${integer} not null,
      ended_at ${integer},
      ended text check (ended in ('done', 'cancelled', 'given-up'))
    ) ${rowTable}`,
    sql`create unique index webhook_lanes_live on webhook_lanes (endpoint_id, advertiser_id) where kind = 'live'`,
    sql`create index webhook_lanes_with_end on webhook_lanes (endpoint_id, created_at) where kind <> 'live'`,
    sql`create index webhook_lanes_by_advertiser on webhook_lanes (advertiser_id, endpoint_id)`,
    sql`create index webhook_lanes_due on webhook_lanes (due_at) where ended_at is null`,
    sql`create index webhook_lanes_ended on webhook_lanes (ended_at) where ended_at is not null`,
    sql`create table webhook_attempts (
      endpoint_id text not null references webhook_endpoints (id),
      at ${integer} not null,
      advertiser_id ${integer} not null,
      number ${integer} not null,
      attempt ${integer} not null,
      outcome text not null,
      status ${integer},
      ms ${integer} not null,
      answer text,
      primary key (endpoint_id, at, advertiser_id, number, attempt)
    ) ${table}`,
    sql`create index webhook_attempts_by_time on webhook_attempts (at)`,
    sql`create table webhook_hours (
      endpoint_id text not null references webhook_endpoints (id),
      hour ${integer} not null,
      accepted ${integer} not null,
      failed ${integer} not null,
      primary key (endpoint_id, hour)
    ) ${table}`,
  ]
  for (const statement of statements) await statement.execute(db)
}
