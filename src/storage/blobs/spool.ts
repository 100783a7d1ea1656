import { randomUUID } from 'node:crypto'
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from './make-folder.ts'

/** Files without a name, for what is too large for the memory while it is on its way. */
export interface Spool {
  /** Whoever asked for it closes it, and then it is gone. */
  open(): Promise<FileHandle>
  /** Removes what processes have left that died while they made a file. Harmless to those that are alive. */
  tidy(): Promise<void>
}

export function createSpool(folder: string): Spool {
  return {
    async open() {
      makeFolder(folder)
      const path = join(folder, randomUUID())
      const handle = await open(path, 'wx+', 0o600)
      // Open, it lives on without its name, and ends with the process, however that ends.
      await rm(path, { force: true })
      return handle
    },

    async tidy() {
      makeFolder(folder)
      for (const name of await readdir(folder)) await rm(join(folder, name), { force: true })
    },
  }
}
