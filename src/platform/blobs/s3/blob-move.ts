import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFile } from '../../core/files/file-lock.ts'
import { makeFolder } from '../../core/files/make-folder.ts'
import { Problem } from '../../core/problems.ts'
import { isAbsent } from '../blob-faults.ts'
import { isBlobFolder } from '../blob-names.ts'
import { NotAsDescribed } from '../faults.ts'
import { type FolderBlobs, namesIn, unlessFull } from '../folder.ts'
import type { StoredBlob } from '../ports.ts'
import type { S3Blobs } from './s3.ts'

export type BlobMove = ReturnType<typeof createBlobMove>

/** Moves files from the folder to S3. Its records are kept beside the blobs, where every node that may move them finds them. */
export function createBlobMove(folder: string, from: FolderBlobs, to: S3Blobs) {
  const notes = join(folder, 'moving')

  /** Reads the object to its end and compares it. */
  async function hasWhole(file: StoredBlob): Promise<boolean> {
    try {
      for await (const _ of await to.open(file));
      return true
    } catch {
      return false
    }
  }

  return {
    /** Locks the folder until the lock is released or the process ends. Undefined if another process holds the lock. */
    async lock(): Promise<(() => void) | undefined> {
      // There is nothing to move; creating the folder would make the nodes look there again.
      if (!existsSync(folder)) return () => {}
      try {
        return lockFile(join(folder, 'moving.lock'))
      } catch (cause) {
        throw new Problem('unavailable', `The folder ${folder} cannot be locked.`, { cause })
      }
    },
    /** The number of blobs in the folder. */
    async count(): Promise<number> {
      let found = 0
      for await (const list of from.names()) found += list.length
      return found
    },
    names: from.names,
    /** Removes folders that have become empty. */
    async tidy(): Promise<void> {
      for (const top of await namesIn(folder)) if (isBlobFolder(top)) await removeEmpty(join(folder, top))
      await removeEmpty(notes)
    },
    /**
     * Copies the bytes to the store under the same name; returns once they are durable there. Returns `gone` if the
     * folder lacks the blob, and `damaged` if the bytes in the folder differ from the upload and the store does not
     * have the right ones either; then nothing is copied. Rejects if the store is unavailable or rejects the blob.
     */
    async copy(file: StoredBlob): Promise<'copied' | 'gone' | 'damaged'> {
      let content: FileHandle | undefined
      try {
        content = await from.openFile(file)
        await to.putAs(file, content)
        return 'copied'
      } catch (error) {
        if (isAbsent(error)) return 'gone'
        if (error instanceof NotAsDescribed || (error as Error).cause instanceof NotAsDescribed)
          return (await hasWhole(file)) ? 'copied' : 'damaged'
        throw error
      } finally {
        await content?.close()
      }
    },
    removeOriginal: from.remove,
    removeCopy: to.remove,
    /** Durably records which blobs are about to be copied. Returns a function that deletes the note. */
    async note(blobs: readonly string[]): Promise<() => Promise<void>> {
      const path = join(notes, randomUUID())
      const strike = () => rm(path, { force: true })
      try {
        makeFolder(notes)
        await writeFile(path, blobs.join('\n'), { flush: true })
      } catch (error) {
        await strike()
        throw error
      }
      return strike
    },
    /** Notes that were never deleted, because the processes that wrote them have ended. */
    async leftNotes(): Promise<{ blobs: string[]; strike(): Promise<void> }[]> {
      const paths = (await namesIn(notes)).map(name => join(notes, name))
      return Promise.all(
        paths.map(async path => ({
          // A name truncated by a power failure matches no blob.
          blobs: (await readFile(path, 'utf8')).split('\n').filter(blob => blob !== ''),
          strike: () => rm(path, { force: true }),
        })),
      )
    },
  }
}

async function removeEmpty(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) if (entry.isDirectory()) await removeEmpty(join(path, entry.name))
  await rmdir(path).catch(unlessFull)
}
