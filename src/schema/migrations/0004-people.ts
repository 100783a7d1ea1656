import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

/** Tables for the pages: members of an advertiser, searching applications, erasing them. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const isPostgres = dialect === 'postgres'
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  const byteOrder = sql.raw(isPostgres ? 'collate "C"' : '')
  const clusteredTable = sql.raw(isPostgres ? '' : 'strict, without rowid')

  const statements = [
    // A person has one account; these are the advertisers that they work for.
    sql`create table memberships (
      advertiser_id ${integer} not null references advertisers (id),
      candidate_id text not null references candidates (id),
      role text not null check (role in ('recruiter', 'admin')),
      created_at ${integer} not null,
      primary key (advertiser_id, candidate_id)
    ) ${clusteredTable}`,
    sql`create index memberships_of_candidate on memberships (candidate_id)`,

    sql`create table invitations (
      hash text primary key,
      id text not null unique,
      advertiser_id ${integer} not null references advertisers (id),
      email text not null,
      role text not null check (role in ('recruiter', 'admin')),
      created_at ${integer} not null,
      expires_at ${integer} not null
    ) ${clusteredTable}`,
    sql`create index invitations_of_advertiser on invitations (advertiser_id, created_at)`,
    sql`create index invitations_by_expiry on invitations (expires_at)`,

    // Copies of related values, so that one index finds the page of a filtered list.
    sql`alter table applications add column job_ad_id ${integer}`,
    sql`alter table applications add column screen_successful ${integer} check (screen_successful in (0, 1))`,
    sql`alter table applications add column has_virus ${integer} not null default 0 check (has_virus in (0, 1))`,
    sql`alter table applications add column erased_at ${integer}`,
    sql`update applications set job_ad_id = (
      select own.job_ad_id from own_applications own
      where own.advertiser_id = applications.advertiser_id and own.application_id = applications.id)`,
    sql`update applications set screen_successful = (
      select screen.successful from application_screens screen
      where screen.advertiser_id = applications.advertiser_id and screen.application_id = applications.id)`,
    sql`update applications set has_virus = 1 where exists (
      select 1 from application_files file
      where file.advertiser_id = applications.advertiser_id and file.application_id = applications.id
        and file.scan = 'infected')`,
    sql`create index applications_by_ad on applications (advertiser_id, job_ad_id, screen_successful, id)
      where job_ad_id is not null`,
    sql`create index applications_by_screen on applications (advertiser_id, screen_successful, id)
      where screen_successful is not null`,
    sql`create index applications_with_virus on applications (advertiser_id, id, job_ad_id, screen_successful)
      where has_virus = 1`,
    sql`create index own_applications_by_application on own_applications (advertiser_id, application_id)`,
    // Finds the ads that use a questionnaire, to show when it is changed.
    sql`create index job_ads_by_screen on job_ads (advertiser_id, screen_id, id) where screen_id is not null`,

    // One range of this table is a prefix search over names, addresses and references. Compared byte by byte, like
    // SQLite: in a language's order, terms with the same prefix would not be adjacent.
    sql`create table application_terms (
      advertiser_id ${integer} not null,
      term text ${byteOrder} not null,
      application_id ${integer} not null,
      primary key (advertiser_id, term, application_id),
      foreign key (advertiser_id, application_id) references applications (advertiser_id, id)
    ) ${clusteredTable}`,

    // The folded text by which candidates find an ad.
    sql`alter table job_ads add column search_text text not null default ''`,

    // Applications of candidates who deleted their account, and when their personal data must be erased.
    sql`create table erasures (
      advertiser_id ${integer} not null,
      application_id ${integer} not null,
      due_at ${integer} not null,
      primary key (advertiser_id, application_id),
      foreign key (advertiser_id, application_id) references applications (advertiser_id, id)
    ) ${clusteredTable}`,
    sql`create index erasures_by_date on erasures (due_at, advertiser_id, application_id)`,
    // Deleting an account deletes its consents: finds their dependent rows without scanning a table that only grows.
    sql`create index disclosures_of_grant on disclosures (grant_id)`,
    sql`create index prefilled_applications_of_grant on prefilled_applications (grant_id)`,

    // Forms that create something: submitting one again finds the result of the first.
    sql`create table sent_forms (
      key text primary key,
      location text not null,
      expires_at ${integer} not null
    ) ${clusteredTable}`,
    sql`create index sent_forms_by_expiry on sent_forms (expires_at)`,

    // Days of Australian Eastern Standard Time, YYYY-MM-DD.
    sql`create table api_call_days (
      advertiser_id ${integer} not null references advertisers (id),
      day text not null,
      calls ${integer} not null,
      primary key (advertiser_id, day)
    ) ${clusteredTable}`,
    // Counted once, when a day is complete: dates never decrease.
    sql`create table application_days (
      advertiser_id ${integer} not null references advertisers (id),
      day text not null,
      applications ${integer} not null,
      primary key (advertiser_id, day)
    ) ${clusteredTable}`,
  ]
  for (const statement of statements) await statement.execute(db)
  await addTerms(db)
  await addSearchTexts(db)
}

const batch = 1000

/** Fills the search terms in code, because the database cannot fold text by our rules. */
async function addTerms(db: Kysely<Schema>): Promise<void> {
  let last = { advertiser_id: 0, id: 0 }
  for (;;) {
    const rows = await db
      .selectFrom('applications')
      .select(['advertiser_id', 'id', 'email', 'first_name', 'last_name', 'job_reference'])
      .where(eb => eb(eb.refTuple('advertiser_id', 'id'), '>', eb.tuple(last.advertiser_id, last.id)))
      .orderBy('advertiser_id')
      .orderBy('id')
      .limit(batch)
      .execute()
    const terms = rows.flatMap(row =>
      searchTerms(row).map(term => ({ advertiser_id: row.advertiser_id, term, application_id: row.id })),
    )
    if (terms.length > 0) await db.insertInto('application_terms').values(terms).execute()
    const end = rows.at(-1)
    if (end === undefined) return
    last = end
  }
}

/** Reads the ads of one advertiser at a time, because they are few. */
async function addSearchTexts(db: Kysely<Schema>): Promise<void> {
  const advertisers = await db.selectFrom('advertisers').select(['id', 'name']).execute()
  for (const { id: advertiserId, name } of advertisers) {
    const ads = await db
      .selectFrom('job_ads')
      .select(['id', 'title', 'location'])
      .where('advertiser_id', '=', advertiserId)
      .execute()
    for (const ad of ads) {
      await db
        .updateTable('job_ads')
        .set({ search_text: searchForm(`${ad.title} ${ad.location} ${name}`) })
        .where('advertiser_id', '=', advertiserId)
        .where('id', '=', ad.id)
        .execute()
    }
  }
}

/** Copies of the rules as of this migration: later rules must not change what it does. */
function searchTerms(row: {
  first_name: string
  last_name: string
  email: string
  job_reference: string | null
}): string[] {
  const { first_name: first, last_name: last, email, job_reference: reference } = row
  const terms = [`${first} ${last}`, `${last} ${first}`, email, reference ?? '']
  return [...new Set(terms.map(searchForm))].filter(term => term !== '')
}

function searchForm(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}'‘’ʼʻ]/gu, '')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .trim()
}
