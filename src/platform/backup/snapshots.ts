import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createReadStream, rmSync } from 'node:fs'
import { open, readdir, rm, stat } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { unlessAbsent } from '../blobs/blob-faults.ts'
import { writeAll } from '../blobs/file-io.ts'
import type { StoredBlob } from '../blobs/ports.ts'
import { type Bytes, type Content, linesOf, measured } from '../core/bytes/packing.ts'
import type { Clock } from '../core/clock.ts'
import { lockIfPossible, lockNewFile } from '../core/files/file-lock.ts'
import { makeFolder } from '../core/files/make-folder.ts'
import { chunkBytes, type Packing, packedPath } from './pack-copy.ts'
import type { OnProgress, SnapshotFacts } from './ports.ts'
import { openCopy } from './snapshot-file.ts'
import type { SnapshotLine, SnapshotTask } from './snapshot-task.ts'

const stepBytes = 2 * 1024 * 1024

/**
 * Removes a large file in steps, from its end, or immediately when `signal` says so. A commit on the same disk waits
 * while space is freed: 290 ms after the removal of 700 MiB, 40 ms after 32 MiB, and 6 ms after 2 MiB on a disk mounted
 * with `discard`. A hard link to the file would also lose its content.
 */
export async function removeGradually(path: string, signal: AbortSignal): Promise<void> {
  const size = (await stat(path).catch(unlessAbsent))?.size ?? 0
  if (size > stepBytes) {
    const handle = await open(path, 'r+')
    try {
      for (let left = size - stepBytes; left > 0 && !signal.aborted; left -= stepBytes) {
        const begun = performance.now()
        await handle.truncate(left)
        await handle.datasync()
        await sleep(performance.now() - begun)
      }
    } finally {
      await handle.close()
    }
  }
  await rm(path, { force: true })
}

export type SnapshotSource = { sqlite: string } | { postgres: string }

/** Locked while a process works on the copy. */
const lockPath = (path: string) => `${path}.lock`

/** A copy of the database in a separate file. */
export interface Snapshot extends SnapshotFacts {
  path: string
  /** All files to which a row refers, ordered by name. */
  files(afterBlob: string, limit: number): StoredBlob[]
  remove(): Promise<void>
}

/** A new copy, with the size and hash of its compressed and unpacked content. */
export interface NewSnapshot extends Snapshot {
  packed: Content
  plain: Content
  packedContent(): Bytes
}

export type Snapshots = ReturnType<typeof createSnapshots>

/** Copies of the database, in files of `folder` that are removed after use. */
export function createSnapshots({
  folder,
  source,
  program,
  fileTables,
  clock,
}: {
  folder: string
  source: SnapshotSource
  /** Runs `carryOutSnapshotTask`. */
  program: string
  /** Tables whose rows refer to files. */
  fileTables: readonly string[]
  clock: Clock
}) {
  /** Path for a copy that `tidy` does not remove before its release. */
  function claimPath() {
    makeFolder(folder)
    const path = join(folder, `${randomUUID()}.sqlite`)
    const unlock = lockNewFile(lockPath(path))
    return { path, release: () => releaseLock(path, unlock) }
  }

  return {
    /** Copies the database as it is at some moment after the call: everything committed before is in the copy. */
    async make(onProgress: OnProgress, signal: AbortSignal): Promise<NewSnapshot> {
      const { path, release } = claimPath()
      try {
        const task = { path, now: clock(), from: source }
        const { facts, packing } = await runProcess(program, task, onProgress, signal)
        const packedContent = () => createReadStream(packedPath(path), { highWaterMark: chunkBytes })
        return {
          ...snapshotIn(path, facts, { fileTables, signal, release }),
          ...(packing as Packing),
          packedContent,
        }
      } catch (error) {
        await removeFile(path).finally(release)
        throw error
      }
    },

    /** Unpacks and checks a copy that was made earlier. */
    async unpack(
      content: Bytes,
      onProgress: OnProgress,
      signal: AbortSignal,
    ): Promise<Snapshot & { plain: Content }> {
      const { path, release } = claimPath()
      try {
        const plain = await writeFile(path, content, size => onProgress('unpacking', size, size))
        const { facts } = await runProcess(program, { path, now: clock() }, onProgress, signal)
        return { ...snapshotIn(path, facts, { fileTables, signal, release }), plain }
      } catch (error) {
        await removeFile(path).finally(release)
        throw error
      }
    },

    /** Removes leftovers of dead processes. */
    async tidy(): Promise<void> {
      const names = (await readdir(folder).catch(unlessAbsent)) ?? []
      for (const name of new Set(names.flatMap(each => /^[^.].*\.sqlite/.exec(each) ?? []))) {
        const path = join(folder, name)
        const unlock = lockIfPossible(lockPath(path))
        if (unlock !== undefined) await removeFile(path).finally(() => releaseLock(path, unlock))
      }
    },
  }
}

async function writeFile(path: string, content: Bytes, onBytes: (size: number) => void) {
  const passing = measured(content, onBytes)
  const handle = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of passing.chunks) await writeAll(handle, chunk)
    await handle.sync()
  } finally {
    await handle.close()
  }
  return passing.content()
}

function releaseLock(path: string, unlock: (() => void) | undefined): void {
  rmSync(lockPath(path), { force: true })
  unlock?.()
}

function snapshotIn(
  path: string,
  facts: SnapshotFacts,
  {
    fileTables,
    signal,
    release,
  }: { fileTables: readonly string[]; signal: AbortSignal; release: () => void },
): Snapshot {
  let copy: ReturnType<typeof openCopy> | undefined
  return {
    ...facts,
    path,
    files(after, limit) {
      copy ??= openCopy(path, fileTables)
      return copy.files(after, limit)
    },
    async remove() {
      copy?.close()
      try {
        for (const large of [path, packedPath(path)]) await removeGradually(large, signal)
        await removeFile(path)
      } finally {
        release()
      }
    },
  }
}

async function removeFile(path: string): Promise<void> {
  for (const end of ['', '-journal', '-wal', '-shm', '.zst']) await rm(path + end, { force: true })
}

/** Requests take precedence when both want the same processor. */
function yieldToRequests(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // The process has ended, or the system does not allow it.
  }
}

async function runProcess(
  program: string,
  task: SnapshotTask,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<{ facts: SnapshotFacts; packing?: Packing }> {
  signal.throwIfAborted()
  const child = spawn(process.execPath, [program], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  yieldToRequests(child.pid)
  const exited = new Promise<number | string | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, name) => resolve(name ?? code))
  })
  // Awaited below.
  exited.catch(() => {})
  const kill = () => child.kill('SIGKILL')
  signal.addEventListener('abort', kill)
  try {
    // A process that ends early does not read its task.
    child.stdin.on('error', () => {}).end(JSON.stringify(task))
    let result: { facts: SnapshotFacts; packing?: Packing } | undefined
    for await (const line of linesOf(child.stdout)) {
      const said = JSON.parse(line) as SnapshotLine
      if ('error' in said) throw new Error(`the database cannot be copied (${said.error})`)
      if ('facts' in said) result = said
      else onProgress(said.phase, said.done, said.total)
    }
    const status = await exited
    signal.throwIfAborted()
    if (result === undefined) throw new Error(`the process that copies the database ended with ${status}`)
    return result
  } finally {
    signal.removeEventListener('abort', kill)
    kill()
  }
}
