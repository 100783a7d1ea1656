import { DatabaseSync } from 'node:sqlite'

/** What SQLite says when somebody else has it. */
const busy = 5

/**
 * A lock that one process has at a time, on all machines that share the folder, and that ends with it, however that ends.
 * The system has such locks, Node has no call for them, and SQLite takes one for a transaction: nothing is ever written.
 * A number of a process in a file would say nothing to another machine, and a time in it nothing about one that slept.
 *
 * Returns the way to let go of it; undefined when another one has it. The file stays: who removes it takes away what the
 * next one is about to lock.
 */
export function lockFile(path: string): (() => void) | undefined {
  const handle = new DatabaseSync(path, { timeout: 0 })
  try {
    // Otherwise it would make a second file.
    handle.exec('pragma journal_mode = memory; begin exclusive')
    return () => handle.close()
  } catch (error) {
    handle.close()
    if ((error as { errcode?: number }).errcode === busy) return undefined
    throw error
  }
}
