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
      // It exists, or the next call fails.
    }
    try {
      const release = lockNewFile(join(folder, id))
      syncNames()
      return { id, ...(release === undefined ? {} : { release }) }
    } catch {
      // Without the file its leases run out by time.
      return { id }
    }
  }

  /** Before the first lease, so that a loss of power leaves none without its file. */
  function syncNames(): void {
    try {
      syncPath(folder)
      syncPath(dataDir)
    } catch {
      // The file holds its lock all the same.
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

    /** Calls `free` with each process of this machine that died; its file is removed afterwards. Returns how many. */
    async forEachDead(free: (id: string) => Promise<void>): Promise<number> {
      let count = 0
      for (const id of listOthers()) {
        const path = join(folder, id)
        // A file that is no lock must not keep the leases of others from being freed.
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
