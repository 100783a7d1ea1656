import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

/** Logos of advertisers and clients, the privacy page of a client, and the resume that a candidate chose for a consent. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const strict = sql.raw(dialect === 'postgres' ? '' : 'strict')
  const statements = [
    ...(['advertiser', 'client'] as const).flatMap(kind => {
      const owners = sql.table(kind === 'advertiser' ? 'advertisers' : 'oauth_clients')
      const table = sql.table(`${kind}_logos`)
      return [
        // A copy of the hash, so that lists need no join.
        sql`alter table ${owners} add column logo_hash text`,
        // Base64, because all columns of both databases are numbers and texts.
        sql`create table ${table} (
          ${sql.ref(`${kind}_id`)} ${kind === 'advertiser' ? integer : sql.raw('text')} not null primary key
            references ${owners} (id) on delete cascade,
          hash text not null,
          type text not null check (type in ('image/png', 'image/svg+xml')),
          content text not null
        ) ${strict}`,
        sql`create index ${sql.raw(`${kind}_logos_by_hash`)} on ${table} (hash)`,
      ]
    }),
    sql`alter table oauth_clients add column privacy_url text`,
    // Null: the default resume. No reference: if the chosen resume is deleted, no other one takes its place.
    sql`alter table grants add column resume_id text`,
  ]
  for (const statement of statements) await statement.execute(db)
}
