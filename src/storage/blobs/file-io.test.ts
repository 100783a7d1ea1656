import assert from 'node:assert/strict'
import { mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { streamOf } from './file-io.ts'
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
  const blobs = createFolderBlobs(join(folder, 'blobs'), { retryAfterSeconds: 5, clock: () => 0 })
  async function* upload() {
    yield content
  }
  const file = await blobs.put(upload())
  const part = await blobs.lend(file, { start: 10, end: 19 })
  assert.deepEqual(part?.bytes, content.subarray(10, 20))
  part?.giveBack()
  await assert.rejects(blobs.lend({ ...file, size: file.size + 1 }), { code: 'unavailable' })
  await assert.rejects(blobs.lend({ ...file, blob: null }), { code: 'unavailable' })
  // Failed reads have returned their buffers.
  const lent = await Promise.all(Array.from({ length: 9 }, () => blobs.lend(file)))
  for (const each of lent.slice(0, 8)) assert.deepEqual(each?.bytes, content)
  assert.equal(lent[8], undefined)
  for (const each of lent) each?.giveBack()
  assert.equal(await blobs.lend({ ...file, size: 1024 * 1024 + 1 }), undefined, 'too large')
})
