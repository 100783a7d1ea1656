import type { FileHandle } from 'node:fs/promises'
import { NotAsDescribed } from '../blobs/faults.ts'
import { readerOf, writeAll } from '../blobs/file-io.ts'
import { blobPartBytes, createS3Calls } from '../blobs/s3/calls.ts'
import { openDownload } from '../blobs/s3/download.ts'
import { abortUploads, listObjects, readText, removeObject } from '../blobs/s3/objects.ts'
import type { S3BlobOptions } from '../blobs/s3/s3.ts'
import { createLargeUpload } from '../blobs/s3/upload.ts'
import { createSpool } from '../blobs/spool.ts'
import { type Bytes, type Content, isSame, measured } from '../core/bytes/packing.ts'
import type { Place } from './ports.ts'

/** The maximum that S3 returns in one page. */
const pageSize = 1_000
/** S3 accepts up to 10,000 parts per object. */
const maxParts = 9_000
const chunkBytes = 256 * 1024

/** Objects under a prefix. Content is collected in an unnamed file first, because a part may have to be sent again. */
export function createS3Place(options: Omit<S3BlobOptions, 'clock'>): Place {
  const { address, encryption, limits } = options
  const s3 = createS3Calls(address, limits, options.onCall)
  const spool = createSpool(options.spoolFolder)
  const keyOf = (name: string) => address.prefix + name

  async function send(name: string, file: FileHandle, { size, sha256 }: Content): Promise<void> {
    const ended = new AbortController()
    const target = { s3, key: keyOf(name), encryption, isShared: true }
    const partBytes = Math.max(blobPartBytes, Math.ceil(size / maxParts))
    const upload = createLargeUpload(target, file, partBytes, ended.signal)
    try {
      const reader = readerOf(file, size)
      for (let at = 0; at < size; at += chunkBytes) await upload.add(await reader.read(at, chunkBytes))
      await upload.complete(sha256)
    } catch (error) {
      ended.abort()
      await upload.drop()
      throw error
    }
  }

  return {
    name: `the bucket ${address.bucket}${address.prefix === '' ? '' : ` under ${address.prefix}`}`,
    async *list(prefix) {
      for (let after = ''; ; ) {
        const objects = await listObjects(s3, { prefix: keyOf(prefix), after, max: pageSize })
        if (objects.length === 0) return
        yield objects.map(({ key, size }) => ({ name: key.slice(address.prefix.length), size }))
        after = objects.at(-1)?.key ?? ''
      }
    },
    async write(name, content, expected) {
      const file = await spool.open()
      try {
        const passing = measured(content)
        for await (const chunk of passing.chunks) await writeAll(file, chunk)
        const found = passing.content()
        if (expected !== undefined && !isSame(found, expected))
          throw new NotAsDescribed(`${name} has another content`)
        await send(name, file, found)
        return found
      } finally {
        await file.close()
      }
    },
    read: async (name, { size, sha256 }): Promise<Bytes> =>
      openDownload(s3, { key: keyOf(name), size, sha256, range: undefined }, limits),
    readText: name => readText(s3, keyOf(name)),
    remove: name => removeObject(s3, keyOf(name)),
    async flush() {},
    // Other programs may upload to the same bucket.
    async tidy() {
      for (const prefix of ['blobs/', 'sets/']) await abortUploads(s3, keyOf(prefix))
    },
    close: s3.close,
  }
}
