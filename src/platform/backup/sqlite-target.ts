import {
  closeSync,
  copyFileSync,
  existsSync,
  constants as fs,
  linkSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import type { Clock } from '../core/clock.ts'
import { chownLikeParent } from '../core/files/chown-like-parent.ts'
import { syncPath } from '../core/files/replace-file.ts'
import type { Migrations } from '../database/migrating/migration.ts'
import { assertOwnLog } from '../database/sqlite/log.ts'
import { restrictToOwner } from '../database/sqlite/restrict-to-owner.ts'
import { openSqlite } from '../database/sqlite/sqlite.ts'
import { isBusy } from '../database/sqlite/statements.ts'
import type { Database } from '../database/tables.ts'
import type { RestoreTarget } from './ports.ts'
import { prepareCopy, type Reconcile } from './reconcile-copy.ts'
import { inUse, keptName, notEmpty } from './target-texts.ts'

const logs = ['-wal', '-shm']

export interface SqliteTargetOptions {
  path: string
  migrations: Migrations
  /** A database without rows in these tables has no data that a restore could lose. */
  ownerTables: readonly string[]
  reconcile: Reconcile
  clock: Clock
}

/**
 * Restores into SQLite. The copy is reconciled in a separate file and renamed into place. The old file's log is first
 * merged into it or moved aside with it: otherwise SQLite would replay it onto the new file.
 */
export function createSqliteTarget({
  path,
  migrations,
  ownerTables,
  reconcile,
  clock,
}: SqliteTargetOptions): RestoreTarget {
  return {
    async prepare(isReplacing) {
      const old = takeOver(path)
      const hasData = old === 'unreadable' || (old !== undefined && holdsData(old, ownerTables))
      if (old instanceof DatabaseSync) old.close()
      if (hasData && !isReplacing) throw notEmpty(path)
    },

    async adopt(copy) {
      const database = await openSqlite(copy, 0)
      let advice: string[]
      try {
        await prepareCopy(database, migrations, clock())
        await raiseTo(database, idsOf(path))
        advice = await reconcile(database)
      } finally {
        await database.close()
      }
      if (existsSync(`${copy}-wal`)) throw new Error('the restored database could not be closed')
      const keptAs = await replaceSqlite(copy, path, clock())
      return { ...(keptAs === undefined ? {} : { keptAs }), advice }
    },
  }
}

/**
 * Opens the file exclusively for this process, with its log merged into it. Undefined if there is no file; throws
 * BackupRefused if another process has it open.
 */
function takeOver(path: string): DatabaseSync | 'unreadable' | undefined {
  if (!existsSync(path)) return undefined
  // SQLite would remove the log of a file that it does not recognise.
  if (!isSqlite(path)) return 'unreadable'
  let handle: DatabaseSync | undefined
  try {
    assertOwnLog(path)
    handle = new DatabaseSync(path, { timeout: 0 })
    // Possible only for the only connection of all processes. It removes the log and its index.
    handle.exec('pragma journal_mode = delete; begin exclusive')
    return handle
  } catch (error) {
    handle?.close()
    if (isBusy(error)) throw inUse()
    return 'unreadable'
  }
}

const magic = 'SQLite format 3\0'

/** An empty file is a new database. */
function isSqlite(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const header = Buffer.alloc(magic.length)
    const read = readSync(file, header)
    return read === 0 || header.toString('latin1') === magic
  } finally {
    closeSync(file)
  }
}

const holdsData = (handle: DatabaseSync, tables: readonly string[]) => {
  const isMigrated =
    handle.prepare('select 1 from sqlite_schema where name = ?').get(tables[0] ?? '') !== undefined
  const anything = tables.map(table => `select 1 from ${table}`)
  return isMigrated && handle.prepare(`${anything.join(' union all ')} limit 1`).get() !== undefined
}

/** Throws BackupRefused if a process uses the database. */
export function assertUnused(path: string): void {
  const old = takeOver(path)
  if (old instanceof DatabaseSync) old.close()
}

/** The last IDs of the replaced database; none if it cannot be read. */
export function idsOf(path: string): Record<string, number> {
  const old = takeOver(path)
  if (!(old instanceof DatabaseSync)) return {}
  try {
    const rows = old.prepare('select name, value from counters').all()
    return Object.fromEntries(rows.map(({ name, value }) => [String(name), Number(value)]))
  } catch {
    // The database was never migrated.
    return {}
  } finally {
    old.close()
  }
}

async function raiseTo({ writer }: Database, ids: Record<string, number>): Promise<void> {
  for (const [name, min] of Object.entries(ids))
    await sql`update counters set value = max(value, ${min}) where name = ${name}`.execute(writer)
}

/**
 * Replaces the database at `path` with `file`, a closed database without a log, and keeps the old one under another
 * name; returns that name if there was one. `path` always leads to a whole database: the old one gets its second name
 * first. Its lock is held until the end, so that no process begins to use it. Throws BackupRefused if one does.
 */
export async function replaceSqlite(file: string, path: string, now: number): Promise<string | undefined> {
  const target = existsSync(path) ? realpathSync(path) : path
  const keptAs = `${target}.${keptName(now)}`
  const draft = `${target}.restoring`
  moveFile(file, draft)
  restrictToOwner(draft)
  chownLikeParent(draft)
  await syncPath(draft)
  const old = takeOver(target)
  try {
    const kept = ['', ...logs].filter(end => existsSync(target + end))
    for (const end of kept) giveName(target + end, keptAs + end)
    await syncPath(dirname(target))
    // Only the logs of an unreadable file: others have been merged into it.
    for (const end of logs) rmSync(target + end, { force: true })
    renameSync(draft, target)
    await syncPath(dirname(target))
    return kept.length === 0 ? undefined : keptAs
  } finally {
    if (old instanceof DatabaseSync) old.close()
  }
}

function moveFile(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    copyFileSync(from, to)
  }
}

function giveName(path: string, name: string): void {
  try {
    linkSync(path, name)
  } catch (error) {
    // Some file systems allow only one name per file.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP'].includes(String((error as NodeJS.ErrnoException).code)))
      throw error
    copyFileSync(path, name, fs.COPYFILE_EXCL | fs.COPYFILE_FICLONE)
  }
}
