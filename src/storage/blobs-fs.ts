import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BlobStore, ByteRange, StoredBlob } from '../applications/ports.ts'
import { Problem } from '../core/problems.ts'
import type { RandomReader } from '../core/random-reader.ts'
import { makeFolder } from './make-folder.ts'

/** Larger than the default 64 KiB: a third fewer turns of the event loop for a file of a megabyte. */
const readChunkBytes = 256 * 1024

/**
 * Files in a folder, named by the SHA-256 of their content: `ab/cd/abcd...`. A file is written under a
 * temporary name, synced, renamed, and its folder synced, so that a name that exists always has all its
 * bytes, whenever the power goes.
 */
export function createFolderBlobs(
  folder: string,
  retryAfterSeconds: number,
): BlobStore & { pathOf(sha256: string): string } {
  const incoming = join(folder, 'incoming')
  /** Folders that this process knows to survive a power cut. */
  const durable = new Set<string>()
  const pathOf = (sha256: string) => join(folder, sha256.slice(0, 2), sha256.slice(2, 4), sha256)

  async function put(content: AsyncIterable<Uint8Array>, check?: Check): Promise<StoredBlob> {
    makeFolder(incoming)
    const temporary = join(incoming, randomUUID())
    try {
      const blob = await writeDurably(temporary, content, check)
      const path = pathOf(blob.sha256)
      await makeFolderDurably(dirname(path))
      // Replacing an equal file is harmless; its readers keep what they have open.
      await rename(temporary, path)
      await syncFolder(dirname(path))
      return blob
    } catch (error) {
      await rm(temporary, { force: true })
      throw isOutOfRoom(error)
        ? new Problem('unavailable', 'The file cannot be stored at present.', {
            retryAfterSeconds,
            cause: error,
          })
        : error
    }
  }

  /** A folder is only safe when its parents have been synced too, whichever process made it. */
  async function makeFolderDurably(path: string): Promise<void> {
    if (durable.has(path)) return
    makeFolder(path)
    await syncFolder(dirname(path))
    await syncFolder(folder)
    durable.add(path)
  }

  async function openBlob(blob: StoredBlob, range?: ByteRange): Promise<NodeJS.ReadableStream> {
    const path = pathOf(blob.sha256)
    // A folder that is not mounted looks like a file that is not there; either way, asking again later is right.
    const unreadable = (cause: unknown) =>
      new Problem('unavailable', 'The file cannot be read at present.', { retryAfterSeconds, cause })
    const handle = await open(path).catch(error => {
      throw unreadable(error)
    })
    try {
      const { size } = await handle.stat()
      if (size !== blob.size) {
        throw unreadable(new Error(`blob ${blob.sha256} has ${size} bytes instead of ${blob.size}`))
      }
      return createReadStream(path, { fd: handle, highWaterMark: readChunkBytes, ...range })
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  async function check(): Promise<void> {
    makeFolder(incoming)
    const probe = join(incoming, `check-${randomUUID()}`)
    await (await open(probe, 'wx')).close()
    await rm(probe)
  }

  return { put, open: openBlob, remove: sha256 => rm(pathOf(sha256), { force: true }), check, pathOf }
}

type Check = (file: RandomReader) => Promise<void>

async function writeDurably(
  path: string,
  content: AsyncIterable<Uint8Array>,
  check: Check | undefined,
): Promise<StoredBlob> {
  const hash = createHash('sha256')
  let size = 0
  const handle = await open(path, 'wx+', 0o640)
  try {
    for await (const chunk of content) {
      hash.update(chunk)
      await writeAll(handle, chunk)
      size += chunk.length
    }
    // First: what is refused need not survive a power cut.
    await check?.(readerOf(handle, size))
    await handle.sync()
  } finally {
    await handle.close()
  }
  return { sha256: hash.digest('hex'), size }
}

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  let written = 0
  while (written < chunk.length) {
    written += (await handle.write(chunk, written)).bytesWritten
  }
}

function readerOf(handle: FileHandle, size: number): RandomReader {
  return {
    size,
    async read(start, length) {
      const buffer = Buffer.alloc(Math.max(0, Math.min(length, size - start)))
      let filled = 0
      while (filled < buffer.length) {
        const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, start + filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      return buffer.subarray(0, filled)
    },
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

function isOutOfRoom(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'].includes(String((error as NodeJS.ErrnoException).code))
}
