import { chmodSync, closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs'

/** Makes an SQLite file for this user alone, or closes an existing one to others, whatever the mode of its folder. */
export function keepToOwner(path: string): void {
  try {
    // SQLite gives its log the mode of the database. Never opened when it is there: the close would drop SQLite's locks.
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  for (const file of openToOthers(path)) {
    try {
      chmodSync(file, 0o600)
    } catch (error) {
      // Another user's, or a disk that is read-only: "dossier doctor" tells, and the service goes on.
      if (!['EPERM', 'EROFS', 'ENOENT'].includes(String((error as NodeJS.ErrnoException).code))) throw error
    }
  }
}

/** The database and its log, as far as others than their owner may read or write them. */
export function openToOthers(path: string): string[] {
  if (!existsSync(path)) return []
  const real = realpathSync(path)
  return ['', '-wal', '-shm']
    .map(suffix => `${real}${suffix}`)
    .filter(file => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0)
}
