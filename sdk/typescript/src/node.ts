// The parts that need a file system.
import { execFileSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { open, readdir, readFile, rename, rm, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
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
 * start; one on another machine takes over, and the first fails with `cursor-in-use` when it saves next. `filesIn` is the
 * folder of `saveFile`, if that is another one: what killed programs have left there is removed at the start.
 */
export function fileCursorStore(
  path: string,
  { filesIn }: { filesIn?: string | undefined } = {},
): FileCursorStore {
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
      for (const folder of [dirname(file), ...(filesIn === undefined ? [] : [filesIn])])
        await removeParts(folder, part => part.isLeft())
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

/**
 * Writes a download under its final name only when it is complete, and beside it, in a file that ends in `.part`, until
 * then. What a killed program leaves there is removed by `removeFile`, and when following starts with a `fileCursorStore`
 * of the same folder.
 */
export async function saveFile(file: Pick<DossierFile, 'bytes'>, path: string): Promise<void> {
  await replace(path, file.bytes)
}

/** Deletes a file of `saveFile`, for instance when its application is erased. It need not exist. */
export async function removeFile(path: string): Promise<void> {
  const file = resolve(path)
  await removeParts(dirname(file), part => part.of === basename(file))
  await rm(file, { force: true })
}

/** A process of this machine that still exists. Containers often have the same process ID in each life. */
function isRunning({ id, pid, host, started }: Holder): boolean {
  if (host !== hostname()) return false
  if (pid === process.pid) return heldHere.has(id)
  return exists(pid, now => started === undefined || started === now)
}

/** Whether a process has this ID, and, if the system says when that one started, whether it is the same as before. */
function exists(pid: number, isSame: (started: string) => boolean): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const started = startOf(pid)
  return started === undefined || isSame(started)
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

const tag = (text = '') => createHash('sha256').update(text).digest('hex').slice(0, 8)
let ownTags: string | undefined

/** The name says who writes it: the machine, the process ID, and when the process started. */
function newPart(path: string): string {
  ownTags ??= `${tag(hostname())}-${process.pid}-${tag(startOf(process.pid))}`
  return `${path}.${ownTags}-${tag(randomUUID())}.part`
}

const partName = /^(.+)\.([0-9a-f]{8})-([0-9]{1,9})-([0-9a-f]{8})-[0-9a-f]{8}\.part$/s

/** Removes incomplete files. `isLeft`: its program ran on this machine and no longer exists. */
async function removeParts(
  folder: string,
  isChosen: (part: { of: string; isLeft(): boolean }) => boolean,
): Promise<void> {
  const names = (await unlessAbsent(readdir(folder))) ?? []
  for (const name of names) {
    const [, of, host, pid, started] = partName.exec(name) ?? []
    const isLeft = () => host === tag(hostname()) && !exists(Number(pid), now => started === tag(now))
    if (of !== undefined && isChosen({ of, isLeft })) await rm(join(folder, name), { force: true })
  }
}

/** The old content or the new one, whatever happens meanwhile. */
async function replace(path: string, content: string | Uint8Array): Promise<void> {
  const part = newPart(path)
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
  const text = await unlessAbsent(readFile(path, 'utf8'))
  return text === undefined ? undefined : JSON.parse(text)
}

async function unlessAbsent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
