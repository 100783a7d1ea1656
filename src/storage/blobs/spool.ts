import { randomUUID } from 'node:crypto'
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from './make-folder.ts'

/** Unnamed files for uploads that are too large for memory. */
export interface Spool {
  /** The caller closes the file, which deletes it. */
  open(): Promise<FileHandle>
  /** Removes files of processes that died while creating one. Harmless to running processes. */
  tidy(): Promise<void>
}

export function createSpool(folder: string): Spool {
  return {
    async open() {
      makeFolder(folder)
      const path = join(folder, randomUUID())
      const handle = await open(path, 'wx+', 0o600)
      // An open file lives on without its name, and ends with the process, however that ends.
      await rm(path, { force: true })
      return handle
    },

    async tidy() {
      makeFolder(folder)
      for (const name of await readdir(folder)) await rm(join(folder, name), { force: true })
    },
  }
}
