import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../database/tables.ts'

/** What applications are made from (ads, questionnaires, forms, intake), and what the background work needs. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const isPostgres = dialect === 'postgres'
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  const rowTable = sql.raw(isPostgres ? '' : 'strict')
  const clusteredTable = sql.raw(isPostgres ? '' : 'strict, without rowid')

  const statements = [
    // Each upload has a name of its own from now on; until now files were named by their content.
    ...['application_files', 'resumes'].flatMap(table => [
      sql`alter table ${sql.table(table)} add column blob text`,
      sql`update ${sql.table(table)}
        set blob = substr(sha256, 1, 2) || '/' || substr(sha256, 3, 2) || '/' || sha256
        where scan <> 'infected'`,
      sql`create index ${sql.raw(`${table}_by_blob`)} on ${sql.table(table)} (blob) where blob is not null`,
      sql`create index ${sql.raw(`${table}_unscanned`)} on ${sql.table(table)} (blob)
        where scan = 'unscanned' and blob is not null`,
    ]),

    // Written by whoever drops a reference, in the same transaction: nobody has to search for them.
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
    // Candidates come by its ID alone, and look through what is open.
    sql`create unique index job_ads_by_id on job_ads (id)`,
    sql`create index job_ads_open on job_ads (id) where status = 'open'`,

    // One per form that was sent: the same form again finds what it has made.
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

    // The advertisers that a job board's client may bring applications to.
    sql`create table oauth_client_advertisers (
      client_id text not null references oauth_clients (id),
      advertiser_id ${integer} not null references advertisers (id),
      primary key (client_id, advertiser_id)
    ) ${clusteredTable}`,

    // Claimed before a request is read, for as long as a request may take; its answer is written with the
    // application itself, and kept for a day.
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

    // How far the import of a file (known by its hash) has come; moved in the transactions that bring it in.
    sql`create table imports (
      file_hash text primary key,
      entries_done ${integer} not null,
      imported ${integer} not null,
      refused ${integer} not null,
      started_at ${integer} not null,
      finished_at ${integer}
    ) ${rowTable}`,
    // Which lines were refused and why, so that a run that goes on, or comes later, can still tell.
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
    // Known browsers stay for months, and there are many; the counts of accounts and addresses stay for a day.
    sql`create index sign_in_failures_by_age on sign_in_failures (last_failed_at)`,
    sql`create index sign_in_counts_by_age on sign_in_failures (last_failed_at) where key < 'browser:'`,
  ]

  // What has a fixed ID, such as the demo's, lies below.
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
