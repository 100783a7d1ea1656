import { createHash, randomUUID } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { type FileHandle, open, readdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Clock } from '../core/clock.ts'
import { chownLikeParent } from '../core/files/chown-like-parent.ts'
import { makeFolder } from '../core/files/make-folder.ts'
import { replaceFile, syncPath } from '../core/files/replace-file.ts'
import { Problem } from '../core/problems.ts'
import type { RandomReader } from '../core/random-reader.ts'
import { isAbsent, unlessAbsent } from './blob-faults.ts'
import { isBlobFolder, isBlobName, newBlobName, ownerMark, smallBytes } from './blob-names.ts'
import { FileLost, NotAsDescribed } from './faults.ts'
import {
  fillFrom,
  isOutOfRoom,
  readerInPieces,
  readerOf,
  streamOf,
  writeAll,
  writePieces,
} from './file-io.ts'
import type { BlobPlace, BlobStore, ByteRange, KeptFile, PlaceNotes, StoredBlob } from './ports.ts'

/**
 * Buffers for files sent in one piece: nearly all fit. Larger files, and files beyond the number of buffers, are
 * streamed.
 */
const pooledBytes = 1024 * 1024
const maxPooled = 8

export interface FolderBlobs extends BlobStore {
  acquire: NonNullable<BlobStore['acquire']>
  pathOf(blob: string): string
  /** Rejects like `open`. */
  assertWhole(file: KeptFile): Promise<void>
  /** Opens a file; the caller reads and closes it. Rejects like `open`. */
  openFile(file: KeptFile): Promise<FileHandle>
  /** All blobs, by old and new names, in lists of any length. */
  names(): AsyncIterable<string[]>
}

/**
 * Stores files in a folder, each under a name unique to its upload: the day, the hour, the moment and a UUID. A file
 * and its folders are synced before the name is returned, so a row that has the name also has all the bytes after a
 * power failure. An upload that breaks off earlier leaves a file without a row, which the sweep of its day finds.
 */
export function createFolderBlobs(folder: string, { clock }: { clock: Clock }): FolderBlobs {
  /** Folders that this process knows would survive a power failure. */
  const durable = new Set<string>()
  const pathOf = (blob: string) => join(folder, blob)
  const syncFolder = createSharedSync()
  const buffers = createBufferPool({ max: maxPooled, bytes: pooledBytes })

  async function put(content: AsyncIterable<Uint8Array>, check?: Check): Promise<StoredBlob> {
    const blob = newBlobName(clock())
    const path = pathOf(blob)
    try {
      const written = await writeDurably(() => create(path), content, check)
      await syncFolder(dirname(path))
      return { blob, ...written }
    } catch (error) {
      await rm(path, { force: true })
      throw isOutOfRoom(error)
        ? new Problem('unavailable', 'The file cannot be stored at present.', {
            cause: error,
          })
        : error
    }
  }

  async function create(path: string): Promise<FileHandle> {
    const folderOfFile = dirname(path)
    await makeFolderDurably(folderOfFile)
    try {
      return await createFile(path)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      // The folder was removed, or its disk was replaced, since we created it.
      durable.delete(folderOfFile)
      await makeFolderDurably(folderOfFile)
      return createFile(path)
    }
  }

  /** A folder is durable only when its parents have been synced too, whichever process created it. */
  async function makeFolderDurably(path: string): Promise<void> {
    if (durable.has(path)) return
    makeFolder(path)
    await syncFolder(dirname(path))
    await syncFolder(folder)
    await syncFolder(dirname(folder))
    durable.add(path)
  }

  /** An unmounted folder looks like a missing file; in both cases, retrying later is right. */
  function unreadable(cause: unknown): Problem {
    const Kind = isAbsent(cause) || cause instanceof NotAsDescribed ? FileLost : Problem
    return new Kind('unavailable', 'The file cannot be read at present.', { cause })
  }

  function placeOf({ blob }: KeptFile): string {
    if (blob === null) throw new Error('the content of this file was discarded')
    if (!isBlobName(blob)) throw new NotAsDescribed(`${blob} is no name of a blob`)
    return pathOf(blob)
  }

  /** The caller closes it. */
  async function openWhole(file: KeptFile): Promise<FileHandle> {
    let handle: FileHandle | undefined
    try {
      handle = await open(placeOf(file))
      assertSize(file, (await handle.stat()).size)
      return handle
    } catch (cause) {
      await handle?.close()
      throw unreadable(cause)
    }
  }

  /** One call on another thread instead of three: opening, reading the size and closing. */
  async function assertWhole(file: KeptFile): Promise<void> {
    try {
      assertSize(file, (await stat(placeOf(file))).size)
    } catch (cause) {
      throw unreadable(cause)
    }
  }

  async function openBlob(
    file: KeptFile,
    range: ByteRange = { start: 0, end: file.size - 1 },
  ): Promise<NodeJS.ReadableStream> {
    return streamOf(await openWhole(file), range)
  }

  async function acquire(
    file: KeptFile,
    { start, end }: ByteRange = { start: 0, end: file.size - 1 },
  ): Promise<PooledBytes | undefined> {
    const pooled = buffers.acquire(end + 1 - start)
    if (pooled === undefined) return undefined
    try {
      await fillFrom(placeOf(file), pooled.bytes, start, size => assertSize(file, size))
      return pooled
    } catch (cause) {
      pooled.release()
      throw unreadable(cause)
    }
  }

  async function examine<T>(file: KeptFile, look: (content: RandomReader) => Promise<T>): Promise<T> {
    const handle = await openWhole(file)
    try {
      return await look(readerOf(handle, file.size))
    } finally {
      await handle.close()
    }
  }

  async function* uploadedOn(day: string): AsyncGenerator<string[]> {
    for (const part of await blobNamesIn(pathOf(day))) {
      const names = await blobNamesIn(pathOf(join(day, part)))
      if (names.length > 0) yield names.map(name => `${day}/${part}/${name}`)
    }
  }

  async function tidyDay(day: string): Promise<void> {
    const parts = (await blobNamesIn(pathOf(day))).map(part => join(day, part))
    for (const path of [...parts, day]) await rmdir(pathOf(path)).catch(unlessFull)
  }

  async function* names(): AsyncGenerator<string[]> {
    for (const top of (await namesIn(folder)).toSorted())
      if (isBlobFolder(top)) yield* filesUnder(folder, top)
  }

  const place: BlobPlace = {
    name: `the folder ${folder}`,
    async owner() {
      const text = await readFile(join(folder, ownerMark), 'utf8').catch(unlessAbsent)
      // Empty after a power failure, or while another process is about to write it.
      return text?.trim() || undefined
    },
    async setOwner(databaseId) {
      makeFolder(folder)
      const path = join(folder, ownerMark)
      await writeFile(path, `${databaseId}\n`, { flush: true, mode: 0o600 })
      chownLikeParent(path)
    },
    async sample(max) {
      const found: string[] = []
      for await (const list of names()) {
        found.push(...list.slice(0, max - found.length))
        if (found.length === max) break
      }
      return found
    },
    notes: createFolderNotes(folder),
  }

  async function check(): Promise<void> {
    makeFolder(folder)
    const probe = join(folder, `check-${randomUUID()}`)
    try {
      // An empty file could be created even on a full disk.
      await writeFile(probe, new Uint8Array(4096))
    } finally {
      await rm(probe, { force: true })
    }
  }

  return {
    places: [place],
    put,
    open: openBlob,
    acquire,
    examine,
    remove: blob => rm(pathOf(blob), { force: true }),
    days: async after =>
      (await namesIn(folder)).filter(name => /^\d{8}$/.test(name) && name > after).toSorted(),
    uploadedOn,
    tidyDay,
    check,
    prove: check,
    pathOf,
    assertWhole,
    openFile: openWhole,
    names,
  }
}

async function createFile(path: string): Promise<FileHandle> {
  const handle = await open(path, 'wx+', 0o600)
  chownLikeParent(path)
  return handle
}

function assertSize({ blob, size: expected }: KeptFile, size: number): void {
  if (size !== expected) throw new NotAsDescribed(`blob ${blob} has ${size} bytes instead of ${expected}`)
}

type Check = (file: RandomReader) => Promise<void>

async function writeDurably(
  create: () => Promise<FileHandle>,
  content: AsyncIterable<Uint8Array>,
  check: Check | undefined,
): Promise<{ sha256: string; size: number }> {
  const hash = createHash('sha256')
  const gathered: Uint8Array[] = []
  let size = 0
  let handle: FileHandle | undefined
  const spill = async () => {
    handle = await create()
    await writePieces(handle, gathered)
    return handle
  }
  try {
    for await (const chunk of content) {
      hash.update(chunk)
      size += chunk.length
      if (handle !== undefined) {
        await writeAll(handle, chunk)
        continue
      }
      gathered.push(chunk)
      if (size > smallBytes) await spill()
    }
    // First, because a rejected file need not be durable, and a small one need not be written at all.
    await check?.(handle === undefined ? readerInPieces(gathered) : readerOf(handle, size))
    handle ??= await spill()
    await handle.sync()
  } finally {
    await handle?.close()
  }
  return { sha256: hash.digest('hex'), size }
}

/** Shares syncs: one sync serves all callers that arrived before it began; callers that arrive while it runs share the next. */
function createSharedSync(): (path: string) => Promise<void> {
  const running = new Map<string, Promise<void>>()
  const waiting = new Map<string, Promise<void>>()

  async function begin(path: string): Promise<void> {
    waiting.delete(path)
    const sync = syncPath(path).finally(() => running.delete(path))
    running.set(path, sync)
    await sync
  }

  return path => {
    const current = running.get(path)
    if (current === undefined) return begin(path)
    const next = waiting.get(path) ?? current.catch(() => {}).then(() => begin(path))
    waiting.set(path, next)
    return next
  }
}

/** Empty if the folder does not exist. */
export async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** Ignores files that an operator or another program has put there under other names. */
const blobNamesIn = async (path: string) => (await namesIn(path)).filter(isBlobName)

async function* filesUnder(root: string, path: string): AsyncGenerator<string[]> {
  // The clean-up of a day may have removed it in the meantime.
  const entries = (await readdir(join(root, path), { withFileTypes: true }).catch(unlessAbsent)) ?? []
  // Ignores files that an operator or NFS has put there under other names.
  const isBlob = (entry: Dirent) => entry.isFile() && isBlobName(entry.name)
  const files = entries.filter(isBlob).map(({ name }) => `${path}/${name}`)
  if (files.length > 0) yield files.toSorted()
  const folders = entries.filter(entry => entry.isDirectory()).map(({ name }) => `${path}/${name}`)
  for (const inner of folders.toSorted()) yield* filesUnder(root, inner)
}

export function unlessFull(error: unknown): void {
  if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(error))) throw error
}

const codeOf = (error: unknown) => String((error as NodeJS.ErrnoException).code)

/** Stores the notes of a place as files. */
function createFolderNotes(folder: string): PlaceNotes {
  return {
    read: name => readFile(join(folder, name), 'utf8').catch(unlessAbsent),

    async write(name, text) {
      const path = join(folder, name)
      await replaceFile(path, `${path}.${randomUUID()}`, handle => handle.writeFile(text))
      // Syncs the parents too: the first note creates them.
      for (let parent = dirname(path); parent.startsWith(folder); parent = dirname(parent))
        await syncPath(parent)
    },

    async list(start) {
      const parent = start.slice(0, start.lastIndexOf('/'))
      const first = start.slice(parent.length + 1)
      const names = (await readdir(join(folder, parent)).catch(unlessAbsent)) ?? []
      // A dot marks the draft of a note.
      const isMeant = (name: string) => name.startsWith(first) && !name.includes('.')
      return names
        .filter(isMeant)
        .toSorted()
        .map(name => `${parent}/${name}`)
    },

    remove: name => rm(join(folder, name), { force: true }),
  }
}

/** Bytes that belong to the borrower until released; releasing them twice is harmless. */
interface PooledBytes {
  bytes: Buffer
  release(): void
}

/**
 * A few buffers that are reused: allocating a megabyte for each download costs more than filling it, because the memory
 * must be found, cleared and collected. They are allocated on first use, up to `max`.
 */
export function createBufferPool({ max, bytes }: { max: number; bytes: number }) {
  const free: Buffer[] = []
  let made = 0

  function take(): Buffer | undefined {
    if (free.length > 0) return free.pop()
    if (made === max) return undefined
    made++
    return Buffer.allocUnsafeSlow(bytes)
  }

  return {
    /** Undefined if the size is too large or all buffers are in use, perhaps by slow readers. */
    acquire(length: number): PooledBytes | undefined {
      const buffer = length <= bytes ? take() : undefined
      if (buffer === undefined) return undefined
      let isInUse = true
      return {
        bytes: buffer.subarray(0, length),
        release() {
          if (isInUse) free.push(buffer)
          isInUse = false
        },
      }
    },
  }
}
