import { randomUUID } from 'node:crypto'
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../core/files/make-folder.ts'

/** Unnamed files for uploads that are too large for memory. */
export function createSpool(folder: string) {
  return {
    /** The caller closes the file, which deletes it. */
    async open(): Promise<FileHandle> {
      makeFolder(folder)
      const path = join(folder, randomUUID())
      const handle = await open(path, 'wx+', 0o600)
      // An open file exists on without its name, and is deleted when the process ends, however that happens.
      await rm(path, { force: true })
      return handle
    },

    /** Removes files of processes that died while creating one. Harmless to running processes. */
    async tidy(): Promise<void> {
      makeFolder(folder)
      for (const name of await readdir(folder)) await rm(join(folder, name), { force: true })
    },
  }
}
