import { Readable } from 'node:stream'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import type { RandomReader } from '../core/random-reader.ts'
import { documentParts } from '../documents/document.ts'
import type { ArchiveCheck, KindFault } from '../documents/file-kinds.ts'

/** Limit: Unpacked size of a docx; a larger one is a zip bomb, not a document. */
const documentBytes = 100 * 1024 * 1024

/** The content type of a document's main part without macros, as in the list of parts. */
const mainPart =
  /ContentType\s*=\s*["']application\/vnd\.openxmlformats-officedocument\.wordprocessingml\.document\.main\+xml["']/i
const listOfParts = '[Content_Types].xml'
const listBytes = 1024 * 1024

const bounds = { documentParts, documentBytes }

/**
 * Checks that the file is a docx that is safe to open. Unpacks it once and keeps nothing, because a zip bomb declares
 * false sizes.
 */
export function createArchiveCheck(limits = bounds): ArchiveCheck {
  return async file => {
    let archive: ZipFile | undefined
    try {
      archive = await fromRandomAccessReaderPromise(new PartReader(file), file.size, {
        lazyEntries: true,
        autoClose: false,
      })
      return await examine(archive, limits)
    } catch {
      // Archives can be damaged in many ways, which all have the same result.
      return 'other-archive'
    } finally {
      archive?.close()
    }
  }
}

async function examine(archive: ZipFile, limits: typeof bounds): Promise<KindFault | undefined> {
  if (archive.entryCount > limits.documentParts) return 'bomb'
  let bytes = 0
  let isDocument = false
  for await (const entry of archive.eachEntry()) {
    if (entry.isEncrypted()) return 'protected'
    if (bytes + entry.uncompressedSize > limits.documentBytes) return 'bomb'
    const isList = entry.fileName === listOfParts && entry.uncompressedSize <= listBytes
    const { size, content } = await unpack(archive, entry, isList)
    bytes += size
    if (isList) isDocument = mainPart.test(content)
  }
  return isDocument ? undefined : 'other-archive'
}

/** yauzl stops if an entry is longer than declared. */
async function unpack(
  archive: ZipFile,
  entry: Entry,
  isKept: boolean,
): Promise<{ size: number; content: string }> {
  const kept: Buffer[] = []
  let size = 0
  for await (const chunk of await archive.openReadStreamPromise(entry)) {
    size += chunk.length
    if (isKept) kept.push(chunk)
  }
  return { size, content: Buffer.concat(kept).toString('utf8') }
}

class PartReader extends RandomAccessReader {
  readonly #file: RandomReader

  constructor(file: RandomReader) {
    super()
    this.#file = file
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(chunksOf(this.#file, start, end), { objectMode: false })
  }
}

async function* chunksOf(file: RandomReader, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let position = start; position < end; position += chunkBytes) {
    const chunk = await file.read(position, Math.min(chunkBytes, end - position))
    if (chunk.length === 0) return
    yield chunk
  }
}

const chunkBytes = 64 * 1024
