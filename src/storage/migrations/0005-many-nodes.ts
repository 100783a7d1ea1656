import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../database/tables.ts'

/** What several nodes need in common, and a layout of the pieces that spares PostgreSQL half of its reading. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const statements =
    dialect === 'postgres' ? [...rateCounts('postgres'), ...piecesByFormat] : rateCounts('sqlite')
  for (const statement of statements) await statement.execute(db)
}

/** How often each key was counted in a window of time, by all nodes together. */
function rateCounts(dialect: Dialect) {
  const isPostgres = dialect === 'postgres'
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  return [
    // Whoever loses power begins to count anew: that is cheaper than to write each count to the disk.
    sql`create ${sql.raw(isPostgres ? 'unlogged' : '')} table rate_counts (
      name text not null,
      key text not null,
      time_window ${integer} not null,
      hits ${integer} not null,
      expires_at ${integer} not null,
      primary key (name, key, time_window)
    ) ${sql.raw(isPostgres ? '' : 'strict, without rowid')}`,
    sql`create index rate_counts_by_expiry on rate_counts (expires_at)`,
  ]
}

/** JSON and XML of one application are written together: in one table a page of the one is read past the other. */
const piecesByFormat = [
  sql`alter table application_pieces rename to former_pieces`,
  sql`alter index application_pieces_pkey rename to former_pieces_pkey`,
  sql`create table application_pieces (
    advertiser_id bigint not null,
    format text not null check (format in ('json', 'xml')),
    id bigint not null,
    body text not null,
    primary_info text not null,
    primary key (advertiser_id, format, id)
  ) partition by list (format)`,
  ...['json', 'xml'].flatMap(format => [
    sql`create table ${sql.raw(`application_pieces_${format}`)} partition of application_pieces
      for values in (${sql.lit(format)}) with (toast_tuple_target = 8160)`,
  ]),
  sql`insert into application_pieces (advertiser_id, format, id, body, primary_info)
    select advertiser_id, format, id, body, primary_info from former_pieces order by advertiser_id, format, id`,
  sql`drop table former_pieces`,
  // Last: while there are rows to copy, each of them would be looked up.
  sql`alter table application_pieces
    add foreign key (advertiser_id, id) references applications (advertiser_id, id)`,
]
