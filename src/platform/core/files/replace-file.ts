import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { chownLikeParent } from './chown-like-parent.ts'
import { makeFolder } from './make-folder.ts'

/**
 * Writes a draft, which no other process may use, and renames it to its path: after a power failure, and for readers,
 * there is either the former file or the whole new one. To make the name durable, call `syncPath` with its folder.
 */
export async function replaceFile<T>(
  path: string,
  draft: string,
  write: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  makeFolder(dirname(draft))
  try {
    const handle = await open(draft, 'wx', 0o600)
    let written: T
    try {
      chownLikeParent(draft)
      written = await write(handle)
      await handle.sync()
    } finally {
      await handle.close()
    }
    makeFolder(dirname(path))
    await rename(draft, path)
    return written
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Makes a file, or the names in a folder, survive a power failure. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
