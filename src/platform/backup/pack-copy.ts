import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { writeAll } from '../blobs/file-io.ts'
import { type Content, isSame, measure, measured, pack, unpack } from '../core/bytes/packing.ts'
import type { CopierPace } from './copier-pace.ts'

export interface Packing {
  packed: Content
  plain: Content
}

export const chunkBytes = 256 * 1024
/** Path of the compressed copy. */
export const packedPath = (path: string) => `${path}.zst`

/** Compresses a copy into a file beside it, and unpacks that to verify it. */
export async function packCopy(
  path: string,
  pace: CopierPace,
  onProgress: (done: number, total: number) => void,
): Promise<Packing> {
  const { size } = await stat(path)
  const readIn = (file: string) => createReadStream(file, { highWaterMark: chunkBytes })
  // Each byte is read twice.
  const handle = await open(packedPath(path), 'wx', 0o600)
  const plain = measured(readIn(path), done => {
    onProgress(done, 2 * size)
    pace.rest(handle.fd)
  })
  const packed = measured(pack(plain.chunks))
  try {
    for await (const chunk of packed.chunks) await writeAll(handle, chunk)
  } finally {
    await handle.close()
  }
  const packing = { packed: packed.content(), plain: plain.content() }
  const found = await measure(unpack(readIn(packedPath(path))), done => {
    onProgress(size + done, 2 * size)
    pace.rest()
  })
  if (!isSame(found, packing.plain)) throw new Error('what was compressed is not what comes out of it')
  return packing
}
