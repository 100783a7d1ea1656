import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { chownLikeParent } from '../core/files/chown-like-parent.ts'
import { lockIfPossible, lockNewFile } from '../core/files/file-lock.ts'
import { syncPath } from '../core/files/sync-path.ts'
import { newUuid } from '../core/ids.ts'

/**
 * Names this process in its leases by a file in DATA_DIR that it keeps locked. The system releases the lock when the
 * process ends, however it ends, so other processes of the machine then know that its leases are free.
 */
export function createProcessLock(dataDir: string) {
  const folder = join(dataDir, 'processes')
  let own: { id: string; release?: () => void } | undefined

  function lockOwn(): { id: string; release?: () => void } {
    const id = newUuid()
    try {
      mkdirSync(folder, { mode: 0o700 })
      chownLikeParent(folder)
    } catch {
      // The folder exists, or the next call fails.
    }
    try {
      const release = lockNewFile(join(folder, id))
      syncNames()
      return { id, ...(release === undefined ? {} : { release }) }
    } catch {
      // Without the file, its leases expire by time.
      return { id }
    }
  }

  /** Call before the first lease, so that a power failure leaves no lease without its file. */
  function syncNames(): void {
    try {
      syncPath(folder)
      syncPath(dataDir)
    } catch {
      // The file is locked nevertheless.
    }
  }

  function listOthers(): string[] {
    try {
      return readdirSync(folder).filter(name => name !== own?.id && !name.startsWith('.'))
    } catch {
      return []
    }
  }

  return {
    /** Takes the lock with the first call: most commands hold no lease. */
    id(): string {
      own ??= lockOwn()
      return own.id
    },

    /** Calls `free` with each dead process of this machine, then removes its file. Returns how many. */
    async forEachDead(free: (id: string) => Promise<void>): Promise<number> {
      let count = 0
      for (const id of listOthers()) {
        const path = join(folder, id)
        // A file that is not a lock must not prevent freeing the leases of others.
        const release = lockIfPossible(path)
        if (release === undefined) continue
        try {
          await free(id)
          rmSync(path, { force: true })
          count += 1
        } finally {
          release()
        }
      }
      return count
    },

    close(): void {
      if (own?.release === undefined) return
      rmSync(join(folder, own.id), { force: true })
      own.release()
      own = undefined
    },
  }
}
