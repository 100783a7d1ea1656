// The parts that need a file system.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { open, readFile, rename, rm, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { DossierFile } from './download.ts'
import { DossierError } from './errors.ts'
import type { CursorStore } from './follow.ts'

interface Holder {
  id: string
  pid: number
  host: string
  /** When the process started, because another one may get its number. Release 0.1.0 did not store it. */
  started?: string | undefined
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
  const own: Holder = {
    id: randomUUID(),
    pid: process.pid,
    host: hostname(),
    started: startOf(process.pid),
  }

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

const partOf = (path: string) => `${path}.part`

/**
 * Writes a download under its final name only when it is complete. What a killed program leaves in `<path>.part` is
 * overwritten by the next call and deleted by `removeFile`. A path must not be written twice at the same time.
 */
export async function saveFile(file: Pick<DossierFile, 'bytes'>, path: string): Promise<void> {
  await replace(path, file.bytes, partOf(path))
}

/** Deletes a file of `saveFile`, for instance when its application is erased. It need not exist. */
export async function removeFile(path: string): Promise<void> {
  for (const each of [partOf(path), path]) await rm(each, { force: true })
}

/** A process of this machine that still exists. Containers often have the same process ID in each life. */
function isRunning({ id, pid, host, started }: Holder): boolean {
  if (host !== hostname()) return false
  if (pid === process.pid) return heldHere.has(id)
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return started === undefined || started === (startOf(pid) ?? started)
}

/** When a process started, as the system says it; undefined if it does not. */
function startOf(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    // The name of the program, in parentheses, may contain spaces.
    const [, fields = ''] = /.*\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return `${boot} ${fields.split(' ')[19]}`
  } catch {}
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
  } catch {
    return undefined
  }
}

/** The old content or the new one, whatever happens meanwhile. */
async function replace(
  path: string,
  content: string | Uint8Array,
  part = `${path}.${randomUUID()}.part`,
): Promise<void> {
  try {
    const handle = await open(part, 'w')
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
