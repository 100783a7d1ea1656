import { type Kysely, sql } from 'kysely'
import { recordHistory } from '../database/server-history.ts'
import type { Database, Dialect, Schema } from '../database/tables.ts'
import * as foundation from './0001-foundation.ts'
import * as share from './0002-share.ts'
import * as apply from './0003-apply.ts'
import * as people from './0004-people.ts'
import * as manyNodes from './0005-many-nodes.ts'
import * as theWayThrough from './0006-the-way-through.ts'
import * as aFace from './0007-a-face.ts'
import * as bothSides from './0008-both-sides.ts'
import * as events from './0009-events.ts'

/** In order. The SQL of a released migration is never edited: the next one fixes it. */
const migrations: Record<string, { up(db: Database['writer'], dialect: Dialect): Promise<void> }> = {
  '0001-foundation': foundation,
  '0002-share': share,
  '0003-apply': apply,
  '0004-people': people,
  '0005-many-nodes': manyNodes,
  '0006-the-way-through': theWayThrough,
  '0007-a-face': aFace,
  '0008-both-sides': bothSides,
  '0009-events': events,
}

const migrationTable = 'schema_migrations'

/** An arbitrary number, the same in all versions. As text, because it exceeds the exact range of a number. */
const lockId = '3853314791062309107'

export type SchemaState =
  | { state: 'current' }
  | { state: 'older'; missing: string[]; isNew: boolean }
  | { state: 'newer'; unknown: string[] }

/** Compares the migrations that the database has had with those that the code knows. */
export async function readSchemaState(database: Database): Promise<SchemaState> {
  const applied = await appliedMigrations(database)
  const unknown = applied.filter(name => !Object.hasOwn(migrations, name))
  if (unknown.length > 0) return { state: 'newer', unknown }
  const missing = Object.keys(migrations).filter(name => !applied.includes(name))
  return missing.length > 0 ? { state: 'older', missing, isNew: applied.length === 0 } : { state: 'current' }
}

/** Reads on one connection that is not a writer's: a node whose writes wait can still serve reads. */
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
 * Brings the database to the newest schema in one transaction; returns the names of the migrations that ran. A
 * concurrent call waits and finds nothing left to do.
 */
export function migrate({ migrator, dialect }: Database, now: number): Promise<string[]> {
  return migrator.transaction().execute(async trx => {
    // A lock of the transaction, because a pooler may change the session.
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

/** The table of migrations exists before our schema, so it is not part of it. */
async function recorded(db: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{
    name: string
  }>`select name from ${sql.table(migrationTable)} order by name`.execute(db)
  return rows.map(row => row.name)
}
