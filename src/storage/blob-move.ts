import { randomUUID } from 'node:crypto'
import { readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobMove } from '../files/moving-ports.ts'
import { isAbsent, NotAsDescribed } from './blob-faults.ts'
import { type FolderBlobs, namesIn, unlessFull } from './blobs-fs.ts'
import type { S3Blobs } from './blobs-s3.ts'
import { makeFolder } from './make-folder.ts'

/** By their day, or, from the time before that, by the start of their hash. */
const blobFolders = /^(\d{8}|[0-9a-f]{2})$/

/** From the folder to S3. What is noted lies beside the blobs, where every node that may move them finds it. */
export function createBlobMove(folder: string, from: FolderBlobs, to: S3Blobs): BlobMove {
  const notes = join(folder, 'moving')

  async function* names(): AsyncGenerator<string[]> {
    for (const top of (await namesIn(folder)).toSorted())
      if (blobFolders.test(top)) yield* filesUnder(folder, top)
  }

  return {
    async count() {
      let found = 0
      for await (const list of names()) found += list.length
      return found
    },
    names,
    async tidy() {
      for (const top of await namesIn(folder)) if (blobFolders.test(top)) await removeEmpty(join(folder, top))
      await removeEmpty(notes)
    },
    async copy(file) {
      try {
        await to.putAs(file, (await from.open(file)) as NodeJS.ReadableStream & AsyncIterable<Uint8Array>)
        return 'copied'
      } catch (error) {
        if (isAbsent(error)) return 'gone'
        if (error instanceof NotAsDescribed || (error as Error).cause instanceof NotAsDescribed)
          return 'damaged'
        throw error
      }
    },
    removeOriginal: from.remove,
    removeCopy: to.remove,
    async note(blobs) {
      makeFolder(notes)
      const path = join(notes, randomUUID())
      await writeFile(path, blobs.join('\n'), { flush: true })
      return () => rm(path, { force: true })
    },
    async leftNotes() {
      const paths = (await namesIn(notes)).map(name => join(notes, name))
      return Promise.all(
        paths.map(async path => ({
          // Half a name, where the power went, is a name that nobody has.
          blobs: (await readFile(path, 'utf8')).split('\n').filter(blob => blob !== ''),
          strike: () => rm(path, { force: true }),
        })),
      )
    },
  }
}

async function* filesUnder(root: string, path: string): AsyncGenerator<string[]> {
  const entries = await readdir(join(root, path), { withFileTypes: true }).catch(error => {
    // The clean-up of a day has removed it since.
    if (isAbsent(error)) return []
    throw error
  })
  const files = entries.filter(entry => entry.isFile()).map(({ name }) => `${path}/${name}`)
  if (files.length > 0) yield files.toSorted()
  const folders = entries.filter(entry => entry.isDirectory()).map(({ name }) => `${path}/${name}`)
  for (const inner of folders.toSorted()) yield* filesUnder(root, inner)
}

async function removeEmpty(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) if (entry.isDirectory()) await removeEmpty(join(path, entry.name))
  await rmdir(path).catch(unlessFull)
}
