import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

/** Shared counts for several nodes, and a layout of the pieces that halves PostgreSQL's reads. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const statements =
    dialect === 'postgres' ? [...rateCounts('postgres'), ...piecesByFormat] : rateCounts('sqlite')
  for (const statement of statements) await statement.execute(db)
}

/** Hits per key and time window, of all nodes together. */
function rateCounts(dialect: Dialect) {
  const isPostgres = dialect === 'postgres'
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  return [
    // Unlogged: after a power failure counting starts again, which is cheaper than writing each count to disk.
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

/** JSON and XML of one application are written together: in one table, reading a page of one would also read the other. */
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
  // Last, because otherwise each copied row would be looked up.
  sql`alter table application_pieces
    add foreign key (advertiser_id, id) references applications (advertiser_id, id)`,
]
