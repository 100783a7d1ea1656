import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

/**
 * What happens to an application after it was sent: its status, history, counts and reads; the emails about it; and how
 * long a company keeps it.
 */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const isPostgres = dialect === 'postgres'
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  const rowTable = sql.raw(isPostgres ? '' : 'strict')
  const clusteredTable = sql.raw(isPostgres ? '' : 'strict, without rowid')
  const ofApplication = sql`foreign key (advertiser_id, application_id) references applications (advertiser_id, id)`

  const statements = [
    // Applications from before count as seen: no one can tell which of them were read.
    sql`alter table applications add column status text not null default 'seen'
      check (status in ('new', 'seen', 'shortlisted', 'not-suitable', 'hired', 'withdrawn'))`,
    sql`create index applications_by_status on applications (advertiser_id, status, id)`,
    sql`create index applications_by_ad_and_status on applications (advertiser_id, job_ad_id, status, id)
      where job_ad_id is not null`,

    // Kept by the transactions that change a status, so that no page counts. Ad 0 stands for none of our ads.
    sql`create table application_counts (
      advertiser_id ${integer} not null references advertisers (id),
      job_ad_id ${integer} not null,
      status text not null,
      applications ${integer} not null,
      primary key (advertiser_id, job_ad_id, status)
    ) ${clusteredTable}`,
    sql`insert into application_counts (advertiser_id, job_ad_id, status, applications)
      select advertiser_id, coalesce(job_ad_id, 0), status, count(*) from applications
      group by advertiser_id, coalesce(job_ad_id, 0), status`,

    // Written by transactions that hold the row of the application, which therefore take turns at the positions.
    sql`create table application_history (
      advertiser_id ${integer} not null,
      application_id ${integer} not null,
      position ${integer} not null,
      at ${integer} not null,
      kind text not null check (kind in ('status', 'note', 'withdrawn', 'document', 'hold', 'release')),
      actor_id text,
      former text,
      status text,
      text text,
      primary key (advertiser_id, application_id, position),
      ${ofApplication}
    ) ${clusteredTable}`,

    // One row per day, reader and way. The reader is a kind and an ID, such as member:ID, credential:ID or agent:ID.
    sql`create table application_reads (
      advertiser_id ${integer} not null,
      application_id ${integer} not null,
      day text not null,
      reader text not null,
      way text not null check (way in ('view', 'download', 'export')),
      first_at ${integer} not null,
      last_at ${integer} not null,
      primary key (advertiser_id, application_id, day, reader, way),
      ${ofApplication}
    ) ${clusteredTable}`,
    sql`create index application_reads_by_day on application_reads (day)`,
    // Lists and whole exports read many applications at once: every ID of the advertiser from the first to the last.
    sql`create table list_reads (
      advertiser_id ${integer} not null references advertisers (id),
      day text not null,
      reader text not null,
      way text not null check (way in ('list', 'export')),
      first_id ${integer} not null,
      last_id ${integer} not null,
      first_at ${integer} not null,
      last_at ${integer} not null,
      primary key (advertiser_id, day, reader, way, first_id)
    ) ${clusteredTable}`,
    sql`create index list_reads_by_day on list_reads (day)`,

    // What must reach the outside world, written in the transaction that causes it: kind and IDs, no text and no secret.
    sql`create table deliveries (
      id text primary key,
      kind text not null,
      content text not null,
      state text not null check (state in ('waiting', 'sent', 'dead')),
      due_at ${integer} not null,
      give_up_at ${integer} not null,
      attempts ${integer} not null default 0,
      created_at ${integer} not null,
      ended_at ${integer},
      fault text
    ) ${rowTable}`,
    sql`create index deliveries_due on deliveries (due_at) where state = 'waiting'`,
    sql`create index deliveries_ended on deliveries (ended_at) where ended_at is not null`,
    sql`create index deliveries_dead on deliveries (created_at) where state = 'dead'`,
    // An email that is sent again has another link, and the one before may be in the mailbox already.
    sql`alter table invitations add column former_hash text`,
    sql`create index invitations_by_former_hash on invitations (former_hash) where former_hash is not null`,

    // Bits of the notifications that a person has switched off, and why their mail server refuses our emails.
    sql`alter table candidates add column muted ${integer} not null default 0`,
    sql`alter table candidates add column mail_refused_at ${integer}`,
    sql`alter table candidates add column mail_refusal text`,
    sql`alter table demo_outbox add column html text not null default ''`,

    sql`alter table memberships add column notify text not null default 'daily'
      check (notify in ('off', 'soon', 'daily'))`,
    // The newest application that an email or a visit has told the member of, and when.
    sql`alter table memberships add column told_up_to ${integer} not null default 0`,
    sql`alter table memberships add column told_at ${integer} not null default 0`,
    sql`alter table memberships add column visited_at ${integer}`,
    sql`alter table memberships add column visited_before_at ${integer}`,
    sql`update memberships set told_up_to = coalesce((
      select max(application.id) from applications application
      where application.advertiser_id = memberships.advertiser_id), 0)`,

    // What the company chose (null: the operator's default), and the months in force (null: without end). A shorter
    // period takes effect later, and can be taken back until then.
    sql`alter table advertisers add column retention_choice ${integer}`,
    sql`alter table advertisers add column retention_months ${integer}`,
    sql`alter table advertisers add column next_retention_months ${integer}`,
    sql`alter table advertisers add column retention_changes_at ${integer}`,
    sql`create table application_holds (
      advertiser_id ${integer} not null,
      application_id ${integer} not null,
      reason text not null,
      placed_by text,
      placed_at ${integer} not null,
      primary key (advertiser_id, application_id),
      ${ofApplication}
    ) ${clusteredTable}`,
    sql`alter table erasures add column reason text not null default 'account'
      check (reason in ('account', 'withdrawn', 'retention'))`,
    // Finds what a retention period has ended for.
    sql`create index applications_kept on applications (advertiser_id, submitted_at, id) where erased_at is null`,
  ]
  for (const statement of statements) await statement.execute(db)
}
