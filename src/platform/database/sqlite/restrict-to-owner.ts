import { chmodSync, closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs'
import { chownLikeParent } from '../../core/files/chown-like-parent.ts'

/**
 * Creates an SQLite file that only this user can access, or restricts an existing one, whatever the mode of its folder.
 */
export function restrictToOwner(path: string): void {
  try {
    // SQLite gives its log the mode of the database. An existing file is never opened: closing it would drop SQLite's locks.
    closeSync(openSync(path, 'wx', 0o600))
    chownLikeParent(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  for (const file of openToOthers(path)) {
    try {
      chmodSync(file, 0o600)
    } catch (error) {
      // Owned by another user, or on a read-only disk: "dossier doctor" reports it, and the service continues.
      if (!['EPERM', 'EROFS', 'ENOENT'].includes(String((error as NodeJS.ErrnoException).code))) throw error
    }
  }
}

/** Files of the database and its log that users other than the owner can read or write. */
export function openToOthers(path: string): string[] {
  if (!existsSync(path)) return []
  const real = realpathSync(path)
  return ['', '-wal', '-shm']
    .map(suffix => `${real}${suffix}`)
    .filter(file => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0)
}
