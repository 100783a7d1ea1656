import { closeSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { chownLikeParent } from '../../core/files/chown-like-parent.ts'
import { syncPath } from '../../core/files/sync-path.ts'
import { migrationTable } from './record.ts'

/**
 * Limit: How long the copy of an SQLite database that is made before a migration is kept: time to notice that the new
 * release does not suit. It still contains data that was erased since.
 */
export const upgradeCopyDays = 7

const copyName = /^before-\d+\.\d+\.\d+\S*\.db(\.\d+\.part)?$/

/**
 * Copies an SQLite database as it is before a release migrates it: `before-<release>.db` beside it, from which the
 * operator can go back (docs/operating/upgrading.md). Another process may migrate at the same time. Since all
 * migrations are one transaction, the copy then contains all of them, and the other process has made its own copy.
 */
export function copyBefore(path: string, release: string, firstMissing: string): void {
  const copy = join(dirname(path), `before-${release}.db`)
  const part = `${copy}.${process.pid}.part`
  try {
    rmSync(part, { force: true })
    // SQLite writes into an empty file, and keeps its mode.
    closeSync(openSync(part, 'wx', 0o600))
    chownLikeParent(part)
    withHandle(path, handle => handle.prepare('vacuum into ?').run(part))
    const { isThere } = withHandle(part, handle =>
      handle.prepare(`select count(*) as isThere from ${migrationTable} where name = ?`).get(firstMissing),
    ) as { isThere: number }
    if (isThere > 0) return
    syncPath(part)
    renameSync(part, copy)
    syncPath(dirname(copy))
  } finally {
    rmSync(part, { force: true })
  }
}

/** Removes copies made before `madeBefore`, including unfinished ones; returns how many it removed. */
export function removeCopies(folder: string, madeBefore: number): number {
  const old = copiesIn(folder).filter(path => statSync(path).mtimeMs < madeBefore)
  for (const path of old) rmSync(path, { force: true })
  return old.length
}

/** Includes unfinished copies. */
export function copiesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter(name => copyName.test(name))
    .map(name => join(folder, name))
}

function withHandle<T>(path: string, use: (handle: DatabaseSync) => T): T {
  const handle = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  try {
    return use(handle)
  } finally {
    handle.close()
  }
}
