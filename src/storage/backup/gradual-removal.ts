import { open, rm, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { unlessAbsent } from './folder-place.ts'

const stepBytes = 2 * 1024 * 1024

/**
 * Removes a large file in steps, from its end, or at once when `signal` says so. A commit on the same disk waits while space
 * is freed: 290 ms after the removal of 700 MiB, 40 ms after 32 MiB, and 6 ms after 2 MiB on a disk mounted with `discard`.
 * A hard link to the file would lose its content, too.
 */
export async function removeGradually(path: string, signal: AbortSignal): Promise<void> {
  const size = (await stat(path).catch(unlessAbsent))?.size ?? 0
  if (size > stepBytes) {
    const handle = await open(path, 'r+')
    try {
      for (let left = size - stepBytes; left > 0 && !signal.aborted; left -= stepBytes) {
        const begun = performance.now()
        await handle.truncate(left)
        await handle.datasync()
        await sleep(performance.now() - begun)
      }
    } finally {
      await handle.close()
    }
  }
  await rm(path, { force: true })
}
