import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'adds two tables; copies the outbox on SQLite, and changes its check on PostgreSQL'

/** What tells a database that was set back, and emails that wait for the operator afterwards. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const isPostgres = dialect === 'postgres'
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  const table = sql.raw(isPostgres ? '' : 'strict, without rowid')
  const statements = [
    sql`create table nodes (id text not null primary key, release text not null, seen_at ${integer} not null) ${table}`,
    sql`create table tombstones (id text not null primary key, content text not null) ${table}`,
    ...(isPostgres ? heldOnPostgres : heldOnSqlite),
  ]
  for (const statement of statements) await statement.execute(db)
}

// Locks: for a moment; the outbox is short.
const heldOnPostgres = [
  sql`alter table deliveries drop constraint deliveries_state_check`,
  sql`alter table deliveries add constraint deliveries_state_check
    check (state in ('waiting', 'sent', 'dead', 'held'))`,
  sql`create index deliveries_held on deliveries (created_at) where state = 'held'`,
]

// SQLite cannot change a check: the table is copied.
const heldOnSqlite = [
  sql`create table deliveries_with_held (
    id text primary key,
    kind text not null,
    content text not null,
    state text not null check (state in ('waiting', 'sent', 'dead', 'held')),
    due_at integer not null,
    give_up_at integer not null,
    attempts integer not null default 0,
    created_at integer not null,
    ended_at integer,
    fault text
  ) strict`,
  sql`insert into deliveries_with_held
    (id, kind, content, state, due_at, give_up_at, attempts, created_at, ended_at, fault)
    select id, kind, content, state, due_at, give_up_at, attempts, created_at, ended_at, fault from deliveries`,
  sql`drop table deliveries`,
  sql`alter table deliveries_with_held rename to deliveries`,
  sql`create index deliveries_due on deliveries (due_at) where state = 'waiting'`,
  sql`create index deliveries_ended on deliveries (ended_at) where ended_at is not null`,
  sql`create index deliveries_dead on deliveries (created_at) where state = 'dead'`,
  sql`create index deliveries_held on deliveries (created_at) where state = 'held'`,
]
