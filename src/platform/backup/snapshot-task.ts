import { closeSync, openSync } from 'node:fs'
import { stdin, stdout } from 'node:process'
import { backup, DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import type { Migrations } from '../database/migrating/migration.ts'
import { type CopierPace, createCopierPace } from './copier-pace.ts'
import { type Packing, packCopy } from './pack-copy.ts'
import type { SnapshotFacts } from './ports.ts'
import { describeCopy, markCopy } from './snapshot-file.ts'

/** Half a MiB with pages of 16 KiB, which takes about a millisecond. */
const pagesAtOnce = 32

/**
 * Copies an SQLite database page by page while others write to it. The read transaction keeps the pages as they were at
 * its beginning, so no write restarts the copy; until it ends, the log of the database grows.
 */
export async function copySqlite(
  from: string,
  to: string,
  pace: CopierPace,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  const handle = new DatabaseSync(from, { timeout: 5_000, readOnly: true })
  const file = openSync(to, 'wx+', 0o600)
  try {
    const pageBytes = Number(handle.prepare('pragma page_size').get()?.['page_size'])
    // The transaction begins with its first read.
    handle.exec('begin; select count(*) from sqlite_schema')
    await backup(handle, to, {
      rate: pagesAtOnce,
      progress({ totalPages, remainingPages }) {
        onProgress((totalPages - remainingPages) * pageBytes, totalPages * pageBytes)
        pace.rest(file)
      },
    })
  } finally {
    closeSync(file)
    handle.close()
  }
}

/**
 * The task of the process that copies a database into a file, checks and compresses it. All of that blocks or keeps a
 * processor busy for minutes, so requests must not wait for it. The task arrives as JSON on standard input, because
 * database URLs contain passwords, which arguments would reveal; JSON lines go out. If the parent process is gone, they
 * cannot be written, which ends this process.
 */

export type SnapshotTask = { path: string; now: number } & (
  | { from: { sqlite: string } | { postgres: string } }
  | { from?: undefined }
)

/** The unit is rows while a copy is made, and bytes while it is compressed. */
export type SnapshotLine =
  | { phase: 'copying' | 'reading' | 'packing'; done: number; total: number }
  | { facts: SnapshotFacts; packing?: Packing }
  | { error: string }

const pace = createCopierPace()

const say = (line: SnapshotLine) => stdout.write(`${JSON.stringify(line)}\n`)

function sayAtTimes(phase: 'copying' | 'reading' | 'packing') {
  let saidAt = 0
  return (done: number, total: number) => {
    if (Date.now() - saidAt < 200) return
    saidAt = Date.now()
    say({ phase, done, total })
  }
}

async function copy({ from, path, now }: SnapshotTask, migrations: () => Promise<Migrations>): Promise<void> {
  if (from === undefined) return
  if ('sqlite' in from) {
    await copySqlite(from.sqlite, path, pace, sayAtTimes('copying'))
  } else {
    const { copyPostgres } = await import('./postgres-snapshot.ts')
    await copyPostgres(from.postgres, path, await migrations(), now, pace, sayAtTimes('reading'))
  }
  markCopy(path, now)
}

/** `migrations`: only copies of PostgreSQL need them. */
export async function carryOutSnapshotTask(migrations: () => Promise<Migrations>): Promise<void> {
  try {
    const task = JSON.parse(await text(stdin)) as SnapshotTask
    await copy(task, migrations)
    pace.yieldAtOnce()
    const facts = describeCopy(task.path)
    say(
      task.from === undefined
        ? { facts }
        : { facts, packing: await packCopy(task.path, pace, sayAtTimes('packing')) },
    )
  } catch (error) {
    say({ error: (error as Error).message || String((error as { code?: unknown }).code) })
  }
}
