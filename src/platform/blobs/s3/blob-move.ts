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
import type { BlobMove } from '../moving-ports.ts'
import type { StoredBlob } from '../ports.ts'
import type { S3Blobs } from './s3.ts'

/** Moves files from the folder to S3. Its records are kept beside the blobs, where every node that may move them finds them. */
export function createBlobMove(folder: string, from: FolderBlobs, to: S3Blobs): BlobMove {
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
    async lock() {
      // Nothing to move; creating the folder would make the nodes look there again.
      if (!existsSync(folder)) return () => {}
      try {
        return lockFile(join(folder, 'moving.lock'))
      } catch (cause) {
        throw new Problem('unavailable', `The folder ${folder} cannot be locked.`, { cause })
      }
    },
    async count() {
      let found = 0
      for await (const list of from.names()) found += list.length
      return found
    },
    names: from.names,
    async tidy() {
      for (const top of await namesIn(folder)) if (isBlobFolder(top)) await removeEmpty(join(folder, top))
      await removeEmpty(notes)
    },
    async copy(file) {
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
    async note(blobs) {
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
    async leftNotes() {
      const paths = (await namesIn(notes)).map(name => join(notes, name))
      return Promise.all(
        paths.map(async path => ({
          // A name cut short by a power failure matches no blob.
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
