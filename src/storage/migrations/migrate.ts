import { type Kysely, sql } from 'kysely'
import { recordHistory } from '../database/server-history.ts'
import type { Database, Dialect, Schema } from '../database/tables.ts'
import * as foundation from './0001-foundation.ts'
import * as share from './0002-share.ts'
import * as apply from './0003-apply.ts'
import * as people from './0004-people.ts'
import * as manyNodes from './0005-many-nodes.ts'
import * as theWayThrough from './0006-the-way-through.ts'

/** In order. A migration that was released is never edited: the next one mends it. */
const migrations: Record<string, { up(db: Database['writer'], dialect: Dialect): Promise<void> }> = {
  '0001-foundation': foundation,
  '0002-share': share,
  '0003-apply': apply,
  '0004-people': people,
  '0005-many-nodes': manyNodes,
  '0006-the-way-through': theWayThrough,
}

const migrationTable = 'schema_migrations'

/** Any number; this one was held by those who migrated before. As text: it is beyond what a number holds exactly. */
const lockId = '3853314791062309107'

export type SchemaState =
  | { state: 'current' }
  | { state: 'older'; missing: string[]; isNew: boolean }
  | { state: 'newer'; unknown: string[] }

/** Which migrations has the database had, and does the code know them all? */
export async function readSchemaState(database: Database): Promise<SchemaState> {
  const applied = await appliedMigrations(database)
  const unknown = applied.filter(name => !Object.hasOwn(migrations, name))
  if (unknown.length > 0) return { state: 'newer', unknown }
  const missing = Object.keys(migrations).filter(name => !applied.includes(name))
  return missing.length > 0 ? { state: 'older', missing, isNew: applied.length === 0 } : { state: 'current' }
}

/** On one connection, and not one for writing: a node whose writes are held up is still there for those who read. */
function appliedMigrations({ reader, dialect }: Database): Promise<string[]> {
  return reader.connection().execute(async db => {
    const found =
      dialect === 'sqlite'
        ? await sql`select name from sqlite_master where name = ${migrationTable}`.execute(db)
        : await sql`select table_name from information_schema.tables
            where table_name = ${migrationTable} and table_schema = current_schema()`.execute(db)
    return found.rows.length === 0 ? [] : recorded(db)
  })
}

/**
 * Brings the database to the newest schema, all or nothing; returns the names of the migrations that ran. Whoever
 * comes at the same time waits, and finds nothing left to do.
 */
export function migrate({ migrator, dialect }: Database, now: number): Promise<string[]> {
  return migrator.transaction().execute(async trx => {
    // Of the transaction and not of the session, which may be another one after a pooler.
    if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${lockId})`.execute(trx)
    await sql`create table if not exists ${sql.table(migrationTable)} (
      name varchar(255) not null primary key,
      timestamp varchar(255) not null
    )`.execute(trx)
    const applied = new Set(await recorded(trx))
    const missing = Object.entries(migrations).filter(([name]) => !applied.has(name))
    for (const [name, { up }] of missing) {
      await up(trx, dialect)
      const timestamp = new Date(now).toISOString()
      await sql`insert into ${sql.table(migrationTable)} (name, timestamp) values (${name}, ${timestamp})`.execute(
        trx,
      )
    }
    if (dialect === 'postgres') await recordHistory(trx)
    return missing.map(([name]) => name)
  })
}

/** The table is not in our schema, since it is there before it. */
async function recorded(db: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{
    name: string
  }>`select name from ${sql.table(migrationTable)} order by name`.execute(db)
  return rows.map(row => row.name)
}
