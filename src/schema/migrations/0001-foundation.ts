import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

/**
 * Tables that belong to an advertiser begin their primary key with it. In SQLite they are clustered by that key
 * (WITHOUT ROWID), so that a page of one advertiser's applications is stored together; in PostgreSQL it is the column
 * by which they can be partitioned.
 */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const isPostgres = dialect === 'postgres'
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  const rowTable = sql.raw(isPostgres ? '' : 'strict')
  const clusteredTable = sql.raw(isPostgres ? '' : 'strict, without rowid')

  const statements = [
    sql`create table meta (key text primary key, value text not null) ${clusteredTable}`,

    sql`create table advertisers (
      id ${integer} primary key,
      name text not null,
      status text not null check (status in ('active', 'hold')),
      created_at ${integer} not null
    ) ${rowTable}`,

    sql`create table advertiser_ledger (
      advertiser_id ${integer} primary key references advertisers (id),
      last_submitted_at ${integer} not null,
      version ${integer} not null
    ) ${rowTable}`,

    sql`create table sws_credentials (
      id text primary key,
      advertiser_id ${integer} not null references advertisers (id),
      hash text not null unique,
      hint text not null,
      label text not null,
      created_at ${integer} not null,
      expires_at ${integer},
      revoked_at ${integer},
      last_used_at ${integer}
    ) ${rowTable}`,
    sql`create index sws_credentials_of_advertiser on sws_credentials (advertiser_id, created_at)`,

    sql`create table agents (
      id ${integer} primary key,
      name text not null,
      created_at ${integer} not null
    ) ${rowTable}`,
    sql`create table agent_authorisations (
      advertiser_id ${integer} not null references advertisers (id),
      agent_id ${integer} not null references agents (id),
      authorised_at ${integer} not null,
      primary key (advertiser_id, agent_id)
    ) ${clusteredTable}`,

    sql`create table oauth_clients (
      id text primary key,
      name text not null,
      agent_id ${integer} references agents (id),
      created_at ${integer} not null
    ) ${rowTable}`,
    sql`create table oauth_client_secrets (
      client_id text not null references oauth_clients (id),
      hash text not null,
      created_at ${integer} not null,
      primary key (client_id, hash)
    ) ${clusteredTable}`,

    // A profile is read and written as a whole and never searched, so it is one document.
    sql`create table candidates (
      id text primary key,
      email text not null unique,
      email_confirmed_at ${integer},
      password_hash text not null,
      first_name text not null,
      last_name text not null,
      profile text not null,
      created_at ${integer} not null
    ) ${rowTable}`,
    sql`create table resumes (
      id text primary key,
      candidate_id text not null references candidates (id),
      file_name text not null,
      content_type text not null,
      sha256 text not null,
      size ${integer} not null,
      scan text not null check (scan in ('unscanned', 'clean', 'infected')),
      uploaded_at ${integer} not null,
      is_default ${integer} not null check (is_default in (0, 1))
    ) ${rowTable}`,
    sql`create index resumes_of_candidate on resumes (candidate_id)`,

    sql`create table applications (
      advertiser_id ${integer} not null references advertisers (id),
      id ${integer} not null,
      submitted_at ${integer} not null,
      job_seeker_id text not null,
      email text not null,
      first_name text not null,
      last_name text not null,
      phone text not null,
      job_reference text,
      job_title text,
      company_name text,
      time_in_role_months ${integer},
      is_new_to_work_force ${integer} check (is_new_to_work_force in (0, 1)),
      primary key (advertiser_id, id)
    ) ${clusteredTable}`,
    sql`create index applications_by_date on applications (advertiser_id, submitted_at, id)`,

    sql`create table application_files (
      advertiser_id ${integer} not null,
      application_id ${integer} not null,
      type text not null check (type in ('resume', 'coverLetter', 'selectionCriteria')),
      file_name text not null,
      content_type text not null,
      sha256 text not null,
      size ${integer} not null,
      scan text not null check (scan in ('unscanned', 'clean', 'infected')),
      uploaded_at ${integer} not null,
      changed_at ${integer} not null,
      primary key (advertiser_id, application_id, type),
      foreign key (advertiser_id, application_id) references applications (advertiser_id, id)
    ) ${clusteredTable}`,

    sql`create table application_screens (
      advertiser_id ${integer} not null,
      application_id ${integer} not null,
      json text not null,
      xml text not null,
      sha256 text not null,
      size ${integer} not null,
      successful ${integer} not null check (successful in (0, 1)),
      primary key (advertiser_id, application_id),
      foreign key (advertiser_id, application_id) references applications (advertiser_id, id)
    ) ${clusteredTable}`,

    // The format is part of the key, so that reading a page in JSON does not read XML too.
    sql`create table application_pieces (
      advertiser_id ${integer} not null,
      format text not null check (format in ('json', 'xml')),
      id ${integer} not null,
      body text not null,
      primary_info text not null,
      primary key (advertiser_id, format, id),
      foreign key (advertiser_id, id) references applications (advertiser_id, id)
    ) ${clusteredTable}`,
  ]

  if (isPostgres) {
    statements.push(
      // IDs begin at 1 on both databases and are unique in the whole service.
      sql`create sequence application_ids`,
      // Every application updates the ledger row: free space on its page keeps that a heap-only update.
      sql`alter table advertiser_ledger set (fillfactor = 50)`,
      // Pieces are read by the hundred: keep them in the row, uncompressed, up to the size of a page.
      sql`alter table application_pieces set (toast_tuple_target = 8160)`,
    )
  } else {
    statements.push(
      sql`create table counters (name text primary key, value integer not null) strict, without rowid`,
      sql`insert into counters (name, value) values ('application_ids', 0)`,
    )
  }
  for (const statement of statements) await statement.execute(db)
}
