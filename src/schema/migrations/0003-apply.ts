import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

/** Tables for applying (ads, questionnaires, forms, intake) and for background tasks. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const isPostgres = dialect === 'postgres'
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  const rowTable = sql.raw(isPostgres ? '' : 'strict')
  const clusteredTable = sql.raw(isPostgres ? '' : 'strict, without rowid')

  const statements = [
    // From now on each upload has its own name; until now files were named by their content.
    ...['application_files', 'resumes'].flatMap(table => [
      sql`alter table ${sql.table(table)} add column blob text`,
      sql`update ${sql.table(table)}
        set blob = substr(sha256, 1, 2) || '/' || substr(sha256, 3, 2) || '/' || sha256
        where scan <> 'infected'`,
      sql`create index ${sql.raw(`${table}_by_blob`)} on ${sql.table(table)} (blob) where blob is not null`,
      sql`create index ${sql.raw(`${table}_unscanned`)} on ${sql.table(table)} (blob)
        where scan = 'unscanned' and blob is not null`,
    ]),

    // Written by the transaction that drops a reference, so that no search is needed.
    sql`create table loose_blobs (
      blob text primary key,
      since ${integer} not null
    ) ${clusteredTable}`,

    sql`create table screens (
      advertiser_id ${integer} not null references advertisers (id),
      id ${integer} not null,
      name text not null,
      questions text not null,
      status text not null check (status in ('open', 'closed')),
      created_at ${integer} not null,
      updated_at ${integer} not null,
      primary key (advertiser_id, id)
    ) ${clusteredTable}`,

    sql`create table job_ads (
      advertiser_id ${integer} not null references advertisers (id),
      id ${integer} not null,
      title text not null,
      location text not null,
      description text not null,
      reference text,
      screen_id ${integer},
      closing_date text,
      status text not null check (status in ('open', 'closed')),
      created_at ${integer} not null,
      updated_at ${integer} not null,
      primary key (advertiser_id, id),
      foreign key (advertiser_id, screen_id) references screens (advertiser_id, id)
    ) ${clusteredTable}`,
    // Candidates open an ad by its ID alone, and search open ads.
    sql`create unique index job_ads_by_id on job_ads (id)`,
    sql`create index job_ads_open on job_ads (id) where status = 'open'`,

    // One row per submitted form: submitting it again finds the application that it created.
    sql`create table own_applications (
      candidate_id text not null references candidates (id),
      form_key text not null,
      advertiser_id ${integer} not null,
      application_id ${integer} not null,
      job_ad_id ${integer} not null,
      job_title text not null,
      job_location text not null,
      advertiser_name text not null,
      submitted_at ${integer} not null,
      primary key (candidate_id, form_key),
      foreign key (advertiser_id, application_id) references applications (advertiser_id, id)
    ) ${clusteredTable}`,
    sql`create unique index own_applications_by_date
      on own_applications (candidate_id, submitted_at, application_id)`,

    // The advertisers to which a job board's client may send applications.
    sql`create table oauth_client_advertisers (
      client_id text not null references oauth_clients (id),
      advertiser_id ${integer} not null references advertisers (id),
      primary key (client_id, advertiser_id)
    ) ${clusteredTable}`,

    // Claimed before a request is read, for as long as a request may take; its response is written with the application
    // and kept for a day.
    sql`create table intake_keys (
      client_id text not null references oauth_clients (id),
      key text not null,
      claim text not null,
      content_hash text,
      answer text,
      expires_at ${integer} not null,
      primary key (client_id, key)
    ) ${clusteredTable}`,
    sql`create index intake_keys_by_expiry on intake_keys (expires_at)`,

    // Progress of the import of a file (identified by its hash), updated in the importing transactions.
    sql`create table imports (
      file_hash text primary key,
      entries_done ${integer} not null,
      imported ${integer} not null,
      refused ${integer} not null,
      started_at ${integer} not null,
      finished_at ${integer}
    ) ${rowTable}`,
    // Rejected lines and the reasons, so that a resumed or later run can report them.
    sql`create table import_refusals (
      file_hash text not null references imports (file_hash),
      line ${integer} not null,
      code text not null,
      reason text not null,
      primary key (file_hash, line)
    ) ${clusteredTable}`,

    sql`create table leases (
      name text primary key,
      holder text not null,
      held_until ${integer} not null
    ) ${clusteredTable}`,

    sql`create index sessions_by_expiry on sessions (expires_at)`,
    sql`create index account_links_by_expiry on account_links (expires_at)`,
    // Known browsers are many and kept for months; counts of accounts and addresses are kept for a day.
    sql`create index sign_in_failures_by_age on sign_in_failures (last_failed_at)`,
    sql`create index sign_in_counts_by_age on sign_in_failures (last_failed_at) where key < 'browser:'`,
  ]

  // Fixed IDs, such as those of the demo, are below.
  const firstId = 1001
  for (const name of ['job_ad_ids', 'screen_ids']) {
    statements.push(
      isPostgres
        ? sql`create sequence ${sql.table(name)} start ${sql.lit(firstId)}`
        : sql`insert into counters (name, value) values (${sql.lit(name)}, ${sql.lit(firstId - 1)})`,
    )
  }
  for (const statement of statements) await statement.execute(db)
}
