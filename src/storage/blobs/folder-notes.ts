import { randomUUID } from 'node:crypto'
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PlaceNotes } from '../../files/ports.ts'
import { giveToOwner } from '../give-to-owner.ts'
import { isAbsent } from './blob-faults.ts'
import { makeFolder } from './make-folder.ts'

/** Notes as files: written beside and renamed, so that a reader or a power failure finds the old or the new one. */
export function createFolderNotes(folder: string): PlaceNotes {
  return {
    read: name => readFile(join(folder, name), 'utf8').catch(unlessAbsent),

    async write(name, text) {
      const path = join(folder, name)
      makeFolder(dirname(path))
      const draft = `${path}.${randomUUID()}`
      try {
        const handle = await open(draft, 'wx', 0o600)
        try {
          giveToOwner(draft)
          await handle.writeFile(text)
          await handle.sync()
        } finally {
          await handle.close()
        }
        await rename(draft, path)
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
      // Also the parents: the first note creates them.
      for (let parent = dirname(path); parent.startsWith(folder); parent = dirname(parent))
        await syncFolder(parent)
    },

    async list(start) {
      const parent = start.slice(0, start.lastIndexOf('/'))
      const first = start.slice(parent.length + 1)
      const names = (await readdir(join(folder, parent)).catch(unlessAbsent)) ?? []
      // A dot: the draft of a note.
      const isMeant = (name: string) => name.startsWith(first) && !name.includes('.')
      return names
        .filter(isMeant)
        .toSorted()
        .map(name => `${parent}/${name}`)
    },

    remove: name => rm(join(folder, name), { force: true }),
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function unlessAbsent(error: unknown): undefined {
  if (!isAbsent(error)) throw error
}
