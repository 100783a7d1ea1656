import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

/**
 * The target of a sign-up, intake keys that expire with their node, applications that job boards can read back, files
 * that the scanner will not judge, a time zone per advertiser, and the end of identifiers of cleared resumes.
 */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const statements = [...newcomers, addTimeZone, ...intake(dialect), endClearedResumes]
  for (const statement of statements) await statement.execute(db)
}

const newcomers = [
  // Where the person was going, and a keyed hash that only the browser of the sign-up can reproduce.
  sql`alter table account_links add column continue_to text`,
  sql`alter table account_links add column browser_mark text`,
]

/** Null means the operator's time zone. */
const addTimeZone = sql`alter table advertisers add column time_zone text`

function intake(dialect: Dialect) {
  const isPostgres = dialect === 'postgres'
  const integer = sql.raw(isPostgres ? 'bigint' : 'integer')
  const sentId = isPostgres
    ? sql`cast(answer as json) ->> 'id'`
    : sql`cast(json_extract(answer, '$.id') as text)`
  return [
    // Renewed while its request is in progress, by the database's clock.
    sql`alter table intake_keys add column held_until ${integer}`,
    // From now on only the ID is stored, and the rest of the response is read again: no names or hashes are stored twice.
    sql`update intake_keys set answer = ${sentId} where answer is not null`,

    // Which job board sent an application, and under which key. No foreign key, because applications may be partitioned.
    sql`create table intake_applications (
      application_id ${integer} primary key,
      advertiser_id ${integer} not null references advertisers (id),
      client_id text not null references oauth_clients (id),
      key text
    ) ${sql.raw(isPostgres ? '' : 'strict, without rowid')}`,
    sql`insert into intake_applications (application_id, advertiser_id, client_id, key)
      select application.id, application.advertiser_id, sent.client_id, sent.key
      from intake_keys sent
      join oauth_client_advertisers listed on listed.client_id = sent.client_id
      join applications application on application.advertiser_id = listed.advertiser_id
        and application.id = cast(sent.answer as ${integer})
      where sent.answer is not null`,

    // Not a fourth value of scan, for which both tables would have to be rewritten.
    ...['application_files', 'resumes'].map(
      table => sql`alter table ${sql.table(table)} add column not_judged ${integer} not null default 0`,
    ),

    sql`create index job_ads_by_reference on job_ads (advertiser_id, reference, id) where reference is not null`,
  ]
}

/** From now on the identifiers of a resume (bit 32) are deleted when it is cleared; this deletes those cleared before. */
export const endClearedResumes = sql`delete from released_resumes
  where grant_id in (select id from grants where released & 32 = 0)`
