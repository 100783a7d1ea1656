import { renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { chownLikeParent } from './chown-like-parent.ts'

/** SQLite's result code while another process holds the lock. */
const busy = 5

/**
 * Takes a lock that only one process can hold at a time, on all machines that share the folder, and that ends with the
 * process, however it ends. The system has such locks, but Node cannot request them, so an SQLite transaction takes
 * one; nothing is ever written. A process ID in a file would be meaningless on another machine, and a timestamp
 * unreliable after a machine has slept.
 *
 * Returns a function that releases the lock; undefined if another process holds it. The file stays: removing it would
 * remove the file that the next process is about to lock.
 */
export function lockFile(path: string): (() => void) | undefined {
  const handle = new DatabaseSync(path, { timeout: 0 })
  try {
    // Otherwise SQLite would create a second file.
    handle.exec('pragma journal_mode = memory; begin exclusive')
    return () => handle.close()
  } catch (error) {
    handle.close()
    if ((error as { errcode?: number }).errcode === busy) return undefined
    throw error
  }
}

/** Locks a new file before it gets its name: an unlocked file therefore belongs to a dead process. */
export function lockNewFile(path: string): (() => void) | undefined {
  const made = join(dirname(path), `.${basename(path)}`)
  const release = lockFile(made)
  chownLikeParent(made)
  renameSync(made, path)
  return release
}

/** Also returns undefined for a file that cannot be locked. */
export function lockIfPossible(path: string): (() => void) | undefined {
  try {
    return lockFile(path)
  } catch {
    return undefined
  }
}
