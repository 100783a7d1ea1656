import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does =
  'lets answers to questionnaires be files; copies the table of files on SQLite, and changes a check on PostgreSQL'

export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  for (const statement of dialect === 'postgres' ? onPostgres : onSqlite) await statement.execute(db)
}

const known = sql.raw(`type in ('resume', 'coverLetter', 'selectionCriteria') or type like 'answer-%'`)

// The former check was stricter, so no row needs to be read.
const onPostgres = [
  sql`alter table application_files drop constraint application_files_type_check`,
  sql`alter table application_files add constraint application_files_type_check check (${known}) not valid`,
]

const columns = sql.raw(
  'advertiser_id, application_id, type, file_name, content_type, sha256, size, scan, uploaded_at, changed_at, blob, not_judged',
)

// SQLite cannot change a check: the table is copied, in the transaction of all migrations before the process serves.
const onSqlite = [
  sql`create table files_with_answers (
    advertiser_id integer not null,
    application_id integer not null,
    type text not null check (${known}),
    file_name text not null,
    content_type text not null,
    sha256 text not null,
    size integer not null,
    scan text not null check (scan in ('unscanned', 'clean', 'infected')),
    uploaded_at integer not null,
    changed_at integer not null,
    blob text,
    not_judged integer not null default 0,
    primary key (advertiser_id, application_id, type),
    foreign key (advertiser_id, application_id) references applications (advertiser_id, id)
  ) strict, without rowid`,
  sql`insert into files_with_answers (${columns}) select ${columns} from application_files`,
  sql`drop table application_files`,
  sql`alter table files_with_answers rename to application_files`,
  sql`create index application_files_by_blob on application_files (blob) where blob is not null`,
  sql`create index application_files_unscanned on application_files (blob)
    where scan = 'unscanned' and blob is not null`,
]
