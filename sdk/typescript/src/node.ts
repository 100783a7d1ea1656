// The parts that need a file system.
import { randomUUID } from 'node:crypto'
import { open, readFile, rename, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { DossierFile } from './download.ts'
import { DossierError } from './errors.ts'
import type { CursorStore } from './follow.ts'

interface Holder {
  id: string
  pid: number
  host: string
}

export interface FileCursorStore extends CursorStore {
  load(): Promise<string | undefined>
  save(cursor: string): Promise<void>
  release(): Promise<void>
}

/** The stores of this process that are in use. */
const heldHere = new Set<string>()

/**
 * Keeps a cursor in a file, and beside it, in `<path>.lock`, who uses it. A second program on the same machine fails to
 * start; one on another machine takes over, and the first fails with `cursor-in-use` when it saves next.
 */
export function fileCursorStore(path: string): FileCursorStore {
  const file = resolve(path)
  const lock = `${file}.lock`
  const own: Holder = { id: randomUUID(), pid: process.pid, host: hostname() }

  const holder = () => readJson<Holder>(lock)

  return {
    async load() {
      const other = await holder()
      if (other !== undefined && isRunning(other)) {
        const who = `process ${other.pid} on ${other.host}`
        throw new DossierError('cursor-in-use', `${file} is used by ${who}; if not, delete ${lock}`)
      }
      await replace(lock, JSON.stringify(own))
      heldHere.add(own.id)
      return (await readJson<{ cursor: string }>(file))?.cursor
    },
    async save(cursor) {
      if ((await holder())?.id !== own.id)
        throw new DossierError('cursor-in-use', `another program has taken over ${file}`)
      await replace(file, JSON.stringify({ cursor }))
    },
    async release() {
      heldHere.delete(own.id)
      if ((await holder())?.id === own.id) await unlink(lock)
    },
  }
}

/** Writes a download under its final name only when it is complete. */
export async function saveFile(file: Pick<DossierFile, 'bytes'>, path: string): Promise<void> {
  await replace(path, file.bytes)
}

/** A process of this machine that still exists. Containers often have the same process ID in each life. */
function isRunning({ id, pid, host }: Holder): boolean {
  if (host !== hostname()) return false
  if (pid === process.pid) return heldHere.has(id)
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The old content or the new one, whatever happens meanwhile. */
async function replace(path: string, content: string | Uint8Array): Promise<void> {
  const part = `${path}.${randomUUID()}.part`
  const handle = await open(part, 'wx')
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(part, path)
}

async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
