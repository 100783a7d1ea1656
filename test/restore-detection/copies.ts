import assert from 'node:assert/strict'
import { copyFile, cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { startHere } from '../harness/command.ts'
import { createTestDatabase, type Engine, secretsKey, type TestDatabase } from '../harness/database.ts'
import { type DebianPostgres, findDebianPostgres, startDebianPostgres } from '../harness/debian-postgres.ts'
import { isLongRun } from '../harness/effort.ts'
import type { Services } from '../harness/services.ts'

/** How operators copy a database: by themselves, or with our own command. */
export type Way =
  | 'vacuum'
  | 'with log'
  | 'without log'
  | 'dump'
  | 'dossier restore'
  /** pg_dump and pg_restore. */
  | 'pg_restore'
  /** A base backup with the archived log up to a moment. */
  | 'point in time'

/** On a server of its own, which the last two ways need. */
export interface ServedDatabase extends TestDatabase {
  server?: DebianPostgres
}

export interface Copy {
  hasFiles: boolean
  /** Puts it back; no process uses the database. */
  restore(): Promise<void>
}

/** Other programs take a second for each copy and each restore: in the long run only. */
export const waysOn = (engine: string): Way[] => [
  ...(engine === 'postgres' ? ['dump' as const] : (['vacuum', 'with log', 'without log'] as const)),
  ...(isLongRun ? ['dossier restore' as const] : []),
  ...(isLongRun && engine === 'postgres' && findDebianPostgres() !== undefined
    ? (['pg_restore', 'point in time'] as const)
    : []),
]

export async function createDatabaseFor(engine: Engine, way: Way): Promise<ServedDatabase> {
  const installed = findDebianPostgres()
  if ((way !== 'pg_restore' && way !== 'point in time') || installed === undefined)
    return createTestDatabase(engine)
  const folder = await mkdtemp(join(tmpdir(), 'dossier-test-'))
  const server = await startDebianPostgres(installed)
  await server.query(`create database ${restoredDatabase}`)
  return {
    engine,
    server,
    settings: { DATA_DIR: folder, DATABASE_URL: server.url(restoredDatabase), SECRETS_KEY: secretsKey },
    async remove() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const restoredDatabase = 'dossier'

/** Ends a process without its orderly stop, as SIGKILL does. */
export async function kill(services: Services): Promise<void> {
  services.restoreDetection.abandon()
  await services.database.close()
  services.closeBlobs()
}

export async function makeCopy(
  { settings, server }: ServedDatabase,
  way: Way,
  name: string,
  hasFiles: boolean,
): Promise<Copy> {
  if (way === 'dossier restore') return makeCopyByCommand(settings)
  const folder = String(settings['DATA_DIR'])
  const [blobs, kept] = [join(folder, 'blobs'), join(folder, `blobs-of-${name}`)]
  const restoreDatabase =
    server !== undefined
      ? await (way === 'point in time' ? server.rememberMoment(name) : dumpAsGuided(server, name))
      : way === 'dump'
        ? await dump(String(settings['DATABASE_URL']), name)
        : await copySqlite(folder, way, name)
  if (hasFiles) {
    await mkdir(blobs, { recursive: true })
    await cp(blobs, kept, { recursive: true })
  }
  return {
    hasFiles,
    async restore() {
      await restoreDatabase()
      if (!hasFiles) return
      await rm(blobs, { recursive: true, force: true })
      await cp(kept, blobs, { recursive: true })
    },
  }
}

/** The files stay as they are: a set adds those that are missing. */
async function makeCopyByCommand(settings: Record<string, string>): Promise<Copy> {
  const from = `${settings['DATA_DIR']}-sets`
  const { stdout } = await command(['backup', '--to', from, '--json'], settings)
  const { manifest } = JSON.parse(stdout)
  return {
    hasFiles: false,
    restore: async () =>
      void (await command(['restore', '--from', from, '--set', manifest.set, '--replace'], settings)),
  }
}

async function command(args: string[], settings: Record<string, string>) {
  const outcome = await startHere(args, settings).finished
  assert.deepEqual([outcome.code, outcome.stderr], [0, ''])
  return outcome
}

async function copySqlite(folder: string, way: Way, name: string): Promise<() => Promise<void>> {
  const path = join(folder, 'dossier.db')
  const copy = join(folder, `${name}.db`)
  const log = way === 'with log' ? '-wal' : undefined
  let hasLog = false
  if (way === 'vacuum') {
    const handle = new DatabaseSync(path)
    handle.exec(`vacuum into '${copy}'`)
    handle.close()
  } else {
    await copyFile(path, copy)
    if (log !== undefined)
      hasLog = await copyFile(path + log, copy + log).then(
        () => true,
        // A stopped service has none.
        () => false,
      )
  }
  return async () => {
    for (const rest of ['', '-wal', '-shm']) await rm(path + rest, { force: true })
    await copyFile(copy, path)
    if (hasLog) await copyFile(`${copy}-wal`, `${path}-wal`)
  }
}

/** As docs/operating/backup.md says. */
async function dumpAsGuided(
  { tool, url, query }: DebianPostgres,
  name: string,
): Promise<() => Promise<void>> {
  const address = url(restoredDatabase)
  await tool('pg_dump', '--format=custom', `--file=${name}.dump`, address)
  return async () => {
    await query(`drop database ${restoredDatabase}`)
    await query(`create database ${restoredDatabase}`)
    await tool('pg_restore', '--no-owner', '--exit-on-error', `--dbname=${address}`, `${name}.dump`)
  }
}

/** As pg_dump and pg_restore over the same database: every row and every sequence, in tables of the same database. */
async function dump(url: string, name: string): Promise<() => Promise<void>> {
  const copies = (prefix: string, tables: readonly string[], statement: (table: string) => string) =>
    `begin; set local session_replication_role = replica; ${prefix}; ${tables.map(statement).join('; ')}; `
  const { rows } = await onServer(url, listTables)
  const tables = rows.map(({ table }) => String(table))
  const sequences = ['application_ids', 'job_ad_ids', 'screen_ids']
  const keep = (table: string) => `create table "${name}".${table} as table public.${table}`
  const keepSequence = (each: string) =>
    `create table "${name}".${each} as select last_value, is_called from public.${each}`
  await onServer(
    url,
    `${copies(`create schema "${name}"`, tables, keep)}${sequences.map(keepSequence).join('; ')}; commit`,
  )
  const put = (table: string) => `insert into public.${table} select * from "${name}".${table}`
  const putSequence = (each: string) =>
    `select setval('public.${each}', last_value, is_called) from "${name}".${each}`
  const clear = `truncate ${tables.map(table => `public.${table}`).join(', ')}`
  return async () => {
    await onServer(url, `${copies(clear, tables, put)}${sequences.map(putSequence).join('; ')}; commit`)
  }
}

const listTables = `select quote_ident(relname) as table from pg_class
  where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`

async function onServer(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}
