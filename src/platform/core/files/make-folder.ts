import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { chownLikeParent } from './chown-like-parent.ts'

/**
 * Creates a folder and its parents for this user only, because the content is personal. Does not use `recursive`, which
 * never returns where the system reports an existing folder as missing, as /proc does.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
    chownLikeParent(path)
  } catch (error) {
    // Another process created it first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
