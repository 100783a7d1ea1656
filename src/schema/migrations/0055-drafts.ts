import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'keeps drafts of applications with their files'

export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const table = sql.raw(dialect === 'postgres' ? '' : 'strict, without rowid')
  const statements = [
    // The ID is the key of the form, so that all forms of one draft make one application. Cascades: release 0.1.0 deletes
    // accounts without knowing of drafts.
    sql`create table drafts (
      id text not null primary key,
      candidate_id text references candidates (id) on delete cascade,
      job_ad_id ${integer} not null,
      job_title text not null,
      advertiser_name text not null,
      content text not null,
      version ${integer} not null,
      saved_at ${integer} not null,
      expires_at ${integer} not null
    ) ${table}`,
    sql`create unique index drafts_of_candidate on drafts (candidate_id, job_ad_id)`,
    sql`create index drafts_by_expiry on drafts (expires_at)`,
    sql`create table draft_files (
      draft_id text not null references drafts (id) on delete cascade,
      field text not null,
      file_name text not null,
      content_type text not null,
      blob text,
      sha256 text not null,
      size ${integer} not null,
      scan text not null check (scan in ('unscanned', 'clean', 'infected')),
      not_judged ${integer} not null,
      uploaded_at ${integer} not null,
      primary key (draft_id, field)
    ) ${table}`,
    sql`create index draft_files_by_blob on draft_files (blob) where blob is not null`,
    sql`create index draft_files_unscanned on draft_files (blob) where scan = 'unscanned' and blob is not null`,
  ]
  for (const statement of statements) await statement.execute(db)
}
