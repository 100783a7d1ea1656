import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../tables.ts'
import type { Mark, Migrations } from './migration.ts'

/** The table of migrations is older than our schema, so it is not part of it. */
export const migrationTable = 'schema_migrations'
const table = sql.table(migrationTable)

export interface Applied {
  name: string
  /** Missing in rows written before the first release. */
  kind?: Mark['kind'] | null
  oldest?: string | null
}

export async function readApplied(db: Kysely<Schema>, dialect: Dialect): Promise<Applied[]> {
  // The columns `kind` and `oldest` may be missing, and later releases may add columns: see columns.ts.
  const { rows } =
    dialect === 'sqlite'
      ? await sql<Applied>`select * from ${table} order by name`.execute(db)
      : await sql<Applied>`select name, to_jsonb(m) ->> 'kind' as kind, to_jsonb(m) ->> 'oldest' as oldest
          from ${table} as m order by name`.execute(db)
  return rows
}

/** Returns false if another process has recorded it. */
export async function record(
  db: Kysely<Schema>,
  name: string,
  { kind, oldest }: Mark,
  now: number,
): Promise<boolean> {
  // Two processes may have built the same indexes.
  const { numAffectedRows } = await sql`insert into ${table} (name, timestamp, kind, oldest)
    values (${name}, ${new Date(now).toISOString()}, ${kind}, ${oldest})
    on conflict (name) do nothing`.execute(db)
  return numAffectedRows !== 0n
}

/** Lets older releases read from the database whether they can run on it. */
export async function addCompatibilityColumns(
  db: Kysely<Schema>,
  dialect: Dialect,
  migrations: Migrations,
): Promise<void> {
  const columns =
    dialect === 'sqlite'
      ? await sql<{ name: string }>`select name from pragma_table_info(${migrationTable})`.execute(db)
      : await sql<{ name: string }>`select column_name as name from information_schema.columns
          where table_name = ${migrationTable} and table_schema = current_schema()`.execute(db)
  if (columns.rows.some(({ name }) => name === 'oldest')) return
  for (const column of ['kind', 'oldest'])
    await sql`alter table ${table} add column ${sql.ref(column)} varchar(255)`.execute(db)
  for (const [name, { mark }] of Object.entries(migrations))
    await sql`update ${table} set kind = ${mark.kind}, oldest = ${mark.oldest} where name = ${name}`.execute(
      db,
    )
}

export async function hasTable(db: Kysely<Schema>, dialect: Dialect, name: string): Promise<boolean> {
  const found =
    dialect === 'sqlite'
      ? await sql`select name from sqlite_master where name = ${name}`.execute(db)
      : await sql`select relname from pg_catalog.pg_class
          where relname = ${name} and relkind in ('r', 'p') and relnamespace =
            (select oid from pg_catalog.pg_namespace where nspname = current_schema())`.execute(db)
  return found.rows.length > 0
}
