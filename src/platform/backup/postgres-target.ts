import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Clock } from '../core/clock.ts'
import type { Migrations } from '../database/migrating/migration.ts'
import { openSqlite } from '../database/sqlite/sqlite.ts'
import type { Database, Schema } from '../database/tables.ts'
import { BackupRefused } from './faults.ts'
import type { RestoreTarget } from './ports.ts'
import { loadPostgres } from './postgres-load.ts'
import { prepareCopy, type Reconcile } from './reconcile-copy.ts'
import { inUse, keptName, mayNotCreate, notEmpty } from './target-texts.ts'

/** Where the copy is built; a killed restore leaves it behind, and the next one removes it. */
const draft = 'dossier_restoring'

export interface PostgresTargetOptions {
  url: string
  /** Opens the database at this URL, which names a schema. */
  open(url: string): Database
  reconcile: Reconcile
  migrations: Migrations
  /** A database without rows in these tables has no data that a restore could lose. */
  ownerTables: readonly string[]
  /** Parent tables first. */
  tables: readonly (keyof Schema)[]
  clock: Clock
  leaseMs: number
  /** Maximum age of a running process's last sign of life. */
  nodeFreshMs: number
  batchRows: number
  /** False behind a pooler, whose sessions outlive the processes that used them. */
  hasOwnSessions: boolean
}

/**
 * Restores into PostgreSQL. The copy is loaded and reconciled in a separate schema; then one transaction moves the
 * existing tables to another schema, and the copy's tables to theirs.
 */
export function createPostgresTarget(options: PostgresTargetOptions): RestoreTarget {
  const { url, clock, migrations } = options

  async function connected<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: url, application_name: 'dossier restore' })
    await client.connect()
    try {
      return await use(client)
    } finally {
      await client.end()
    }
  }

  return {
    prepare: isReplacing =>
      connected(async client => {
        const grant = await missingGrant(client)
        if (grant !== undefined) throw mayNotCreate(grant)
        if (await isInUse(client, options)) throw inUse()
        if (!isReplacing && (await holdsData(client, options.ownerTables)))
          throw notEmpty('The database in DATABASE_URL')
      }),

    async adopt(path, onProgress) {
      // Migrate the SQLite copy first, so that its tables match the target's.
      const copy = await openSqlite(path, 0)
      await prepareCopy(copy, migrations, clock())
      await copy.close()
      const atLeast = await connected(async client => {
        await client.query(`drop schema if exists ${draft} cascade; create schema ${draft}`)
        return idsOf(client)
      })
      const database = options.open(inSchema(url, draft))
      let advice: string[]
      try {
        await prepareCopy(database, migrations, clock())
        await loadPostgres(database, options.tables, path, atLeast, options.batchRows, onProgress)
        advice = await options.reconcile(database)
      } finally {
        await database.close()
      }
      const keptAs = await connected(async client => {
        try {
          return await swap(client, keptName(clock()), options)
        } catch (error) {
          await client.query(`drop schema if exists ${draft} cascade`).catch(() => {})
          throw error
        }
      })
      return { ...(keptAs === undefined ? {} : { keptAs: `the schema "${keptAs}"` }), advice }
    },
  }
}

/** The grant that this role needs to create schemas, which the service itself does not need; undefined if it has it. */
async function missingGrant(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query(
    `select has_database_privilege(current_database(), 'create') as may,
       format('grant create on database %I to %I', current_database(), current_user) as statement`,
  )
  return rows[0].may ? undefined : rows[0].statement
}

/** If a setting is repeated, the last value wins. */
function inSchema(url: string, schema: string): string {
  const address = new URL(url)
  const settings = `${address.searchParams.get('options') ?? ''} -c search_path=${schema}`
  address.searchParams.set('options', settings.trim())
  return address.href
}

const exists = async (client: pg.Client, table: string) =>
  (await client.query('select to_regclass($1) as found', [table])).rows[0].found !== null

async function holdsData(client: pg.Client, tables: readonly string[]): Promise<boolean> {
  if (!(await exists(client, tables[0] ?? ''))) return false
  const anything = tables.map(table => `select 1 from ${table}`)
  return (await client.query(`(${anything.join(') union all (')}) limit 1`)).rows.length > 0
}

/** Sessions of processes that just ended may remain listed for a moment. */
const looks = 20
const lookMs = 250

async function isInUse(client: pg.Client, options: PostgresTargetOptions): Promise<boolean> {
  if (await isSigned(client, options)) return true
  if (!options.hasOwnSessions) return false
  for (let look = 0; look < looks; look++) {
    const { rows } = await client.query(
      `select 1 from pg_stat_activity where datname = current_database() and application_name = 'dossier' limit 1`,
    )
    if (rows.length === 0) return false
    await sleep(lookMs)
  }
  return true
}

/** Whether a process has recently signed in this database, or taken a lease. */
async function isSigned(client: pg.Client, options: PostgresTargetOptions): Promise<boolean> {
  const now = options.clock()
  if (await exists(client, 'leases')) {
    const fresh = 'select 1 from leases where held_until > $1 and held_until < $2 limit 1'
    const found = await client.query(fresh, [now, now + 2 * options.leaseMs])
    if (found.rows.length > 0) return true
  }
  if (await exists(client, 'nodes')) {
    const fresh = 'select 1 from nodes where seen_at > $1 and seen_at < $2 limit 1'
    const found = await client.query(fresh, [now - options.nodeFreshMs, now + options.nodeFreshMs])
    if (found.rows.length > 0) return true
  }
  return false
}

/** The last IDs of the replaced database. */
async function idsOf(client: pg.Client): Promise<Record<string, number>> {
  const { rows } = await client.query(
    `select sequencename as name, coalesce(last_value, start_value - 1) as last
     from pg_sequences where schemaname = current_schema()`,
  )
  return Object.fromEntries(rows.map(({ name, last }) => [name, Number(last)]))
}

interface Relation {
  schema: string
  name: string
  kind: 'r' | 'p' | 'S'
}

/**
 * In one transaction: before it the names lead to the old tables, afterwards to the new ones. A process that has
 * started since `prepare` has signed before its first request, and from the lock on none can sign: so no process loses
 * data that it has stored.
 */
async function swap(
  client: pg.Client,
  name: string,
  options: PostgresTargetOptions,
): Promise<string | undefined> {
  const kept = name.toLowerCase().replaceAll('-', '_')
  await client.query('begin isolation level read committed')
  try {
    if (await exists(client, 'nodes')) await client.query('lock table nodes in access exclusive mode')
    if (await isSigned(client, options)) throw inUse()
    const { rows: found } = await client.query('select quote_ident(current_schema()) as home')
    const home: string = found[0].home
    const fresh = await relationsOf(client, draft, [])
    const former = await relationsOf(
      client,
      home,
      fresh.map(relation => relation.name),
    )
    if (former.length > 0) await client.query(`create schema ${kept}`)
    for (const relation of former) await move(client, relation, home, kept)
    for (const relation of fresh) await move(client, relation, draft, home)
    await client.query(`drop schema ${draft} cascade`)
    await client.query('commit')
    return former.length > 0 ? kept : undefined
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/**
 * The tables and sequences of a schema; with names, only these and their partitions. Operators may have their own
 * tables in the same schema.
 */
async function relationsOf(client: pg.Client, schema: string, names: string[]): Promise<Relation[]> {
  const { rows } = await client.query<Relation>(
    `with recursive ours as (
       select oid, relname, relkind from pg_class
       where relnamespace = $1::regnamespace and relkind in ('r', 'p', 'S') and (relname = any ($2) or $2 = '{}')
       union
       select part.oid, part.relname, part.relkind from pg_class part
       join pg_inherits on inhrelid = part.oid join ours on ours.oid = inhparent
       where part.relkind in ('r', 'p') and part.relnamespace = $1::regnamespace)
     select quote_ident(relname) as name, relkind as kind from ours`,
    [schema, names],
  )
  return rows
}

async function move(client: pg.Client, { name, kind }: Relation, from: string, to: string): Promise<void> {
  await client.query(`alter ${kind === 'S' ? 'sequence' : 'table'} ${from}.${name} set schema ${to}`)
}

/** A pooler cannot choose a schema. */
export const needsDirectAddress = () =>
  new BackupRefused(
    'A restore needs an address of PostgreSQL without a transaction pooler: set DATABASE_LISTEN_URL to it.',
  )
