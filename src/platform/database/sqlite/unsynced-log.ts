import { existsSync, fdatasyncSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { Problem } from '../../core/problems.ts'
import { whileBusy } from './statements.ts'

/** A power failure removes the danger that it warns of, so it need not be durable. */
const markOf = (path: string) => `${path}-unsynced`

/** Warns the next process that opens this database that a flush failed. */
export function markUnsynced(path: string): void {
  try {
    writeFileSync(markOf(path), '', { mode: 0o600 })
  } catch {
    // No file can be created in the folder, so the next start could not write the log either.
  }
}

/**
 * After a failed flush, the system may keep pages of the log in memory as if they were on the disk: they can be read,
 * and every later flush succeeds without them. So the log is rewritten in place and synced before it is used.
 */
export async function rewriteUnsynced(
  path: string,
  { handle, log, waitMs }: { handle: DatabaseSync; log: number; waitMs: number },
): Promise<void> {
  if (!existsSync(markOf(path))) return
  // Take the write lock, so that no process changes the log.
  await whileBusy(waitMs, () => handle.exec('begin immediate'))
  try {
    const part = Buffer.alloc(1024 * 1024)
    for (let at = 0; ; ) {
      const length = readSync(log, part, 0, part.length, at)
      if (length === 0) break
      for (let done = 0; done < length; ) done += writeSync(log, part, done, length - done, at + done)
      at += length
    }
    fdatasyncSync(log)
    rmSync(markOf(path), { force: true })
  } catch (cause) {
    // Keep the handles open, see decision 105: closing them would copy the log into the database.
    throw new Problem('unavailable', 'The disk does not keep the log of the database.', { cause })
  } finally {
    handle.exec('rollback')
  }
}
