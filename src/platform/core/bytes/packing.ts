import { createHash } from 'node:crypto'
import { pipeline, Readable, type Transform } from 'node:stream'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'

export type Bytes = AsyncIterable<Uint8Array>

/** Size and hash of some bytes. */
export interface Content {
  size: number
  sha256: string
}

export const isSame = (a: Content, b: Content) => a.size === b.size && a.sha256 === b.sha256

/** Larger than the default 16 KiB, because each chunk costs a thread switch. */
const chunkSize = 256 * 1024

/** Compresses with Zstandard. The checksum lets any tool detect damage. */
export const pack = (content: Bytes): Bytes =>
  through(content, createZstdCompress({ chunkSize, params: { [constants.ZSTD_c_checksumFlag]: 1 } }))

/** Throws on damaged or truncated content. */
export const unpack = (content: Bytes): Bytes => through(content, createZstdDecompress({ chunkSize }))

/** Throws before more than `max` bytes have passed: a few compressed bytes can become gigabytes. */
export async function* atMost(
  max: number,
  content: Bytes,
  tooLarge: () => Error,
): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of content) {
    size += chunk.length
    if (size > max) throw tooLarge()
    yield chunk
  }
}

function through(content: Bytes, transform: Transform): Bytes {
  // If the source fails, the transform is destroyed, and its reader gets the error.
  pipeline(Readable.from(content, { objectMode: false }), transform, () => {})
  return transform
}

/** Counts and hashes the bytes that pass; `content` is complete once all chunks have been read. */
export function measured(content: Bytes, onBytes: (size: number) => void = () => {}) {
  const hash = createHash('sha256')
  let size = 0
  async function* pass(): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      hash.update(chunk)
      size += chunk.length
      onBytes(size)
      yield chunk
    }
  }
  return { chunks: pass(), content: (): Content => ({ size, sha256: hash.digest('hex') }) }
}

/** Reads the whole content without keeping it. */
export async function measure(content: Bytes, onBytes?: (size: number) => void): Promise<Content> {
  const passing = measured(content, onBytes)
  for await (const _ of passing.chunks);
  return passing.content()
}

/** The lines of a text without their line feeds. */
export async function* linesOf(content: Bytes): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of content) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
