import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

/**
 * Everything that a candidate's consent needs. Secrets (codes, tokens, sessions, links) are stored as primary keys by
 * their SHA-256: a look-up is one indexed read, and a dump contains none in plain text. Released categories are bits of
 * one number (src/model/categories.ts), so that narrowing them is one statement on both databases.
 */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const isPostgres = dialect === 'postgres'
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  const rowTable = sql.raw(isPostgres ? '' : 'strict')
  const clusteredTable = sql.raw(isPostgres ? '' : 'strict, without rowid')

  const statements = [
    // Time of the newest authorisation ever given: the next one gets a later time, whatever the clock says.
    sql`alter table agents add column last_authorised_at ${integer} not null default 0`,
    sql`update agents set last_authorised_at = coalesce(
      (select max(authorised_at) from agent_authorisations where agent_id = agents.id), 0)`,
    sql`alter table oauth_clients add column scopes text not null default ''`,
    sql`alter table oauth_clients add column require_pkce ${integer} not null default 0 check (require_pkce in (0, 1))`,
    sql`alter table oauth_clients add column disabled_at ${integer}`,
    sql`create table oauth_redirect_uris (
      client_id text not null references oauth_clients (id),
      uri text not null,
      primary key (client_id, uri)
    ) ${clusteredTable}`,

    sql`create unique index resumes_by_default on resumes (candidate_id) where is_default = 1`,

    // One row per consent in force. A withdrawn one is kept as history, and the next consent is a new row.
    sql`create table grants (
      id text primary key,
      candidate_id text not null references candidates (id),
      client_id text not null references oauth_clients (id),
      advertiser_id ${integer} references advertisers (id),
      scope text not null,
      released ${integer} not null,
      filled ${integer} not null,
      created_at ${integer} not null,
      decided_at ${integer} not null,
      withdrawn_at ${integer}
    ) ${rowTable}`,
    sql`create unique index grants_that_stand on grants (candidate_id, client_id, coalesce(advertiser_id, 0))
      where withdrawn_at is null`,
    sql`create index grants_of_candidate on grants (candidate_id, created_at)`,

    sql`create table oauth_codes (
      hash text primary key,
      client_id text not null references oauth_clients (id),
      grant_id text not null references grants (id),
      candidate_id text not null,
      advertiser_id ${integer},
      redirect_uri text not null,
      scope text not null,
      released ${integer} not null,
      challenge text,
      issued_at ${integer} not null,
      expires_at ${integer} not null,
      failed_attempts ${integer} not null,
      redeemed_at ${integer},
      token_hash text
    ) ${clusteredTable}`,
    sql`create index oauth_codes_of_grant on oauth_codes (grant_id)`,
    sql`create index oauth_codes_by_expiry on oauth_codes (expires_at)`,

    // Found only by the token that a client sends. The token of a code or consent is recorded with the codes, so that
    // inserting a token writes to one index.
    sql`create table oauth_tokens (
      hash text primary key,
      client_id text not null references oauth_clients (id),
      scope text not null,
      grant_id text references grants (id),
      candidate_id text,
      released ${integer} not null,
      advertiser_id ${integer},
      agent_id ${integer},
      agent_authorised_at ${integer},
      issued_at ${integer} not null,
      expires_at ${integer} not null,
      revoked_at ${integer}
    ) ${clusteredTable}`,
    sql`create index oauth_tokens_by_expiry on oauth_tokens (expires_at)`,

    sql`create table sessions (
      hash text primary key,
      id text not null unique,
      candidate_id text not null references candidates (id),
      browser text not null,
      created_at ${integer} not null,
      last_used_at ${integer} not null,
      expires_at ${integer} not null
    ) ${clusteredTable}`,
    sql`create index sessions_of_candidate on sessions (candidate_id)`,

    sql`create index candidates_unconfirmed on candidates (created_at) where email_confirmed_at is null`,

    // Single-use links in emails. The address is the one that the link confirms; the data entered at sign-up is kept
    // here until its link is used.
    sql`create table account_links (
      hash text primary key,
      purpose text not null check (purpose in ('confirm', 'change-email', 'reset')),
      candidate_id text not null references candidates (id),
      email text not null,
      expires_at ${integer} not null,
      password_hash text,
      first_name text,
      last_name text
    ) ${clusteredTable}`,
    sql`create index account_links_of_candidate on account_links (candidate_id, purpose)`,

    // Failed sign-ins by account and by address, as hashes: they must survive a restart but not be readable.
    sql`create table sign_in_failures (
      key text primary key,
      failures ${integer} not null,
      last_failed_at ${integer} not null
    ) ${clusteredTable}`,

    // Emails sent to an address in an hour (counted since the epoch), so that no one can be flooded.
    sql`create table mail_counts (
      recipient_hash text primary key,
      hour ${integer} not null,
      mails ${integer} not null
    ) ${clusteredTable}`,

    sql`create table demo_outbox (
      id text primary key,
      recipient text not null,
      subject text not null,
      body text not null,
      sent_at ${integer} not null
    ) ${rowTable}`,

    // One ID per grant, so that two clients cannot tell from it that they have the same candidate.
    sql`create table released_resumes (
      id text primary key,
      grant_id text not null references grants (id),
      resume_id text not null references resumes (id) on delete cascade,
      created_at ${integer} not null,
      unique (grant_id, resume_id)
    ) ${rowTable}`,
    sql`create index released_resumes_of_resume on released_resumes (resume_id)`,

    // The retry key is a hash of token, advertiser and form: the unique index decides, even in a race.
    sql`create table prefilled_applications (
      id text primary key,
      retry_key text not null unique,
      client_id text not null references oauth_clients (id),
      grant_id text not null references grants (id),
      candidate_id text not null references candidates (id),
      advertiser_id ${integer} not null references advertisers (id),
      form_url text not null,
      position_title text,
      position_uri text,
      position_reference text,
      country_code text,
      postal_code text,
      created_at ${integer} not null,
      updated_at ${integer} not null,
      completed_at ${integer}
    ) ${rowTable}`,
    sql`create index prefilled_applications_of_candidate on prefilled_applications (candidate_id, created_at)`,

    sql`create table disclosures (
      id text primary key,
      candidate_id text not null references candidates (id),
      grant_id text not null references grants (id),
      client_id text not null references oauth_clients (id),
      advertiser_id ${integer},
      kind text not null check (kind in ('prefill', 'resume')),
      categories ${integer} not null,
      disclosed_at ${integer} not null
    ) ${rowTable}`,
    sql`create index disclosures_of_candidate on disclosures (candidate_id, disclosed_at, id)`,
  ]
  for (const statement of statements) await statement.execute(db)
}
