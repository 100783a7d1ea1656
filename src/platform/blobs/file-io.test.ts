import assert from 'node:assert/strict'
import { mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { readerInPieces, streamOf, writePieces } from './file-io.ts'
import { createFolderBlobs } from './folder.ts'

const content = Buffer.from(Array.from({ length: 700_000 }, (_, index) => index % 251))
let folder: string
let path: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dossier-file-io-'))
  path = join(folder, 'file')
  await writeFile(path, content)
})
after(() => rm(folder, { recursive: true }))

test('a stream yields the bytes of its range and closes the file', async () => {
  for (const [start, end] of [
    [0, content.length - 1],
    [5, 5],
    [262_143, 262_144],
    [600_000, 699_999],
    [0, -1],
  ] as const) {
    const handle = await open(path)
    assert.deepEqual(await buffer(streamOf(handle, { start, end })), content.subarray(start, end + 1))
    assert.equal(handle.fd, -1)
  }
})

const pieces = fc.array(
  fc.uint8Array({ maxLength: 12 }).map(bytes => Buffer.from(bytes)),
  { maxLength: 6 },
)

test('pieces are read as if they were one', async () => {
  await fc.assert(
    fc.asyncProperty(pieces, fc.nat(80), fc.nat(80), async (parts, start, length) => {
      const whole = Buffer.concat(parts)
      const reader = readerInPieces(parts)
      assert.equal(reader.size, whole.length)
      assert.deepEqual(Buffer.from(await reader.read(start, length)), whole.subarray(start, start + length))
    }),
  )
})

test('pieces are written whole, even if the system takes only some of their bytes at once', async () => {
  const parts = [content.subarray(0, 10), content.subarray(10, 10), content.subarray(10, 500_000)]
  for (const taken of [500_000, 7, 10, 400_000]) {
    const target = join(folder, `pieces-${taken}`)
    const handle = await open(target, 'w')
    const writev = async (all: readonly Uint8Array[]) => ({
      bytesWritten: (await handle.write(Buffer.concat(all).subarray(0, taken))).bytesWritten,
      buffers: all,
    })
    await writePieces(taken === 500_000 ? handle : Object.assign(handle, { writev }), parts)
    await writePieces(handle, [])
    await handle.close()
    assert.deepEqual(await readFile(target), content.subarray(0, 500_000))
  }
})

test('a file that ends too early destroys its stream instead of ending it', async () => {
  const short = join(folder, 'short')
  await writeFile(short, content)
  const handle = await open(short)
  const stream = streamOf(handle, { start: 0, end: content.length - 1 })
  await truncate(short, 300_000)
  await assert.rejects(buffer(stream), /ends at byte 300000/)
  assert.equal(handle.fd, -1)
})

test('a stream that is never read closes the file', async () => {
  const handle = await open(path)
  const stream = streamOf(handle, { start: 0, end: 1 })
  await new Promise<void>(resolve => stream.on('close', resolve).destroy())
  assert.equal(handle.fd, -1)
})

test('lends bytes in whole or in part, eight at a time, and none on an error', async () => {
  const blobs = createFolderBlobs(join(folder, 'blobs'), { clock: () => 0 })
  async function* upload() {
    yield content
  }
  const file = await blobs.put(upload())
  const part = await blobs.acquire(file, { start: 10, end: 19 })
  assert.deepEqual(part?.bytes, content.subarray(10, 20))
  part?.release()
  await assert.rejects(blobs.acquire({ ...file, size: file.size + 1 }), { code: 'unavailable' })
  await assert.rejects(blobs.acquire({ ...file, blob: null }), { code: 'unavailable' })
  // Failed reads have returned their buffers.
  const pooled = await Promise.all(Array.from({ length: 9 }, () => blobs.acquire(file)))
  for (const each of pooled.slice(0, 8)) assert.deepEqual(each?.bytes, content)
  assert.equal(pooled[8], undefined)
  for (const each of pooled) each?.release()
  assert.equal(await blobs.acquire({ ...file, size: 1024 * 1024 + 1 }), undefined, 'too large')
})
