import { randomUUID } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { type FileHandle, open, readdir, readFile, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { unlessAbsent } from '../blobs/blob-faults.ts'
import { NotAsDescribed } from '../blobs/faults.ts'
import { streamOf, writeAll } from '../blobs/file-io.ts'
import { unlessFull } from '../blobs/folder.ts'
import { type Bytes, isSame, measured } from '../core/bytes/packing.ts'
import { replaceFile, syncPath } from '../core/files/replace-file.ts'
import type { Place } from './ports.ts'

/** Folder of unfinished files; the name of no blob and no part of a set begins with it. */
const partial = 'partial'

/** Commits of SQLite on the same disk would wait for one large flush at the end. */
const syncBytes = 4 * 1024 * 1024

/** Files in a folder. A name never has incomplete content. */
export function createFolderPlace(root: string): Place {
  /** Folders with new names, to be synced by `flush`. */
  const changed = new Set<string>()

  /** Names come from the lists of sets, which anyone who can write to the repository can also change. */
  function pathOf(name: string): string {
    const path = join(root, name)
    if (!path.startsWith(join(root, '/'))) throw new NotAsDescribed(`${name} is not in ${root}`)
    return path
  }

  async function write(name: string, content: Bytes, expected?: { size: number; sha256: string }) {
    const path = pathOf(name)
    const found = await replaceFile(path, join(root, partial, randomUUID()), async handle => {
      const passing = measured(content)
      let unsynced = 0
      for await (const chunk of passing.chunks) {
        await writeAll(handle, chunk)
        unsynced += chunk.length
        if (unsynced < syncBytes) continue
        await handle.datasync()
        unsynced = 0
      }
      const written = passing.content()
      if (expected !== undefined && !isSame(written, expected))
        throw new NotAsDescribed(`${name} has another content`)
      return written
    })
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      changed.add(folder)
      if (folder === root || !folder.startsWith(root)) return found
    }
  }

  async function* list(prefix: string): AsyncGenerator<{ name: string; size: number }[]> {
    for await (const paths of filesUnder(join(root, prefix))) {
      const sizes = await Promise.all(paths.map(async path => ({ path, size: await sizeOf(path) })))
      yield sizes.flatMap(({ path, size }) =>
        size === undefined ? [] : { name: relative(root, path), size },
      )
    }
  }

  return {
    name: `the folder ${root}`,
    list,
    write,
    async read(name, { size, sha256 }) {
      const handle = await open(pathOf(name))
      const found = (await handle.stat()).size
      if (found !== size) {
        await handle.close()
        throw new NotAsDescribed(`${name} has ${found} bytes instead of ${size}`)
      }
      return sha256 === undefined ? wholeOf(handle, size) : verified(name, handle, { size, sha256 })
    },
    readText: name => readFile(join(root, name), 'utf8').catch(unlessAbsent),
    async remove(name) {
      const path = pathOf(name)
      await rm(path, { force: true })
      for (let folder = dirname(path); folder !== root && folder.startsWith(root); folder = dirname(folder)) {
        changed.delete(folder)
        await rmdir(folder).catch(unlessFull)
      }
    },
    async flush() {
      const folders = [...changed]
      changed.clear()
      // A folder that became empty may have been removed.
      for (const folder of folders) await syncPath(folder).catch(unlessAbsent)
    },
    tidy: () => rm(join(root, partial), { recursive: true, force: true }),
    close() {},
  }
}

const wholeOf = (handle: FileHandle, size: number): Bytes => streamOf(handle, { start: 0, end: size - 1 })

async function* verified(
  name: string,
  handle: FileHandle,
  expected: { size: number; sha256: string },
): AsyncGenerator<Uint8Array> {
  const passing = measured(wholeOf(handle, expected.size))
  yield* passing.chunks
  if (!isSame(passing.content(), expected)) throw new NotAsDescribed(`${name} is damaged`)
}

/** The files of a folder, then those of its subfolders; none if there is no such folder. */
async function* filesUnder(folder: string): AsyncGenerator<string[]> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(unlessAbsent)) ?? []
  const pathsOf = (wanted: (entry: Dirent) => boolean) =>
    entries
      .filter(wanted)
      .map(({ name }) => join(folder, name))
      .toSorted()
  const files = pathsOf(entry => entry.isFile())
  for (let start = 0; start < files.length; start += 1_000) yield files.slice(start, start + 1_000)
  for (const inner of pathsOf(entry => entry.isDirectory())) yield* filesUnder(inner)
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(unlessAbsent))?.size
}
