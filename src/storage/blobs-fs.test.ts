import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { createFolderBlobs } from './blobs-fs.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dossier-blobs-'))
})
after(() => rm(folder, { recursive: true }))

async function* chunks(...parts: string[]) {
  for (const part of parts) yield Buffer.from(part)
}

const filesLeft = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile()).length

test('the check sees the complete content, any part of it, and where it ends', async () => {
  const blobs = createFolderBlobs(folder, { retryAfterSeconds: 5, clock: () => Date.UTC(2026, 10, 15) })
  const seen: unknown[] = []
  const blob = await blobs.put(chunks('first ', 'second ', 'third'), async file => {
    const text = async (start: number, length: number) =>
      Buffer.from(await file.read(start, length)).toString()
    seen.push(file.size, await text(0, 5), await text(6, 100), await text(17, 5), await text(18, 5))
  })
  assert.deepEqual(seen, [18, 'first', 'second third', 'd', ''])
  assert.equal((await buffer(await blobs.open(blob))).toString(), 'first second third')
  await blobs.remove(blob.blob)
  assert.equal(await filesLeft(), 0)
})

test('what the check refuses leaves nothing behind', async () => {
  const blobs = createFolderBlobs(folder, { retryAfterSeconds: 5, clock: () => Date.UTC(2026, 10, 15) })
  const refusal = new Error('not this one')
  await assert.rejects(
    blobs.put(chunks('bad'), async () => {
      throw refusal
    }),
    refusal,
  )
  assert.equal(await filesLeft(), 0)
})

test('content that breaks off is never checked and leaves nothing behind', async () => {
  const blobs = createFolderBlobs(folder, { retryAfterSeconds: 5, clock: () => Date.UTC(2026, 10, 15) })
  async function* broken() {
    yield Buffer.from('half')
    throw new Error('gone')
  }
  await assert.rejects(
    blobs.put(broken(), () => assert.fail('checked half a file')),
    /gone/,
  )
  assert.equal(await filesLeft(), 0)
})

test('a folder that was taken away is made again', async () => {
  const blobs = createFolderBlobs(folder, { retryAfterSeconds: 5, clock: () => Date.UTC(2026, 10, 15) })
  const first = await blobs.put(chunks('first'))
  await rm(join(folder, '20261115'), { recursive: true })
  const second = await blobs.put(chunks('second'))
  assert.equal((await buffer(await blobs.open(second))).toString(), 'second')
  await assert.rejects(blobs.open(first), { code: 'unavailable' })
  await blobs.remove(second.blob)
  await blobs.tidyDay('20261115')
  assert.deepEqual(await blobs.days(), [])
})

test('what is small and what is large comes back as it was, and is seen whole by the check', async () => {
  const blobs = createFolderBlobs(folder, { retryAfterSeconds: 5, clock: () => Date.UTC(2026, 10, 15) })
  for (const size of [0, 1, 128 * 1024, 128 * 1024 + 1, 1_000_000]) {
    const bytes = randomBytes(size)
    async function* pieces() {
      for (let start = 0; start < size; start += 50_000) yield bytes.subarray(start, start + 50_000)
    }
    let seen = Buffer.alloc(0)
    const stored = await blobs.put(pieces(), async file => {
      seen = Buffer.from(await file.read(0, file.size))
    })
    assert.deepEqual(seen, bytes)
    assert.deepEqual([stored.size, stored.sha256], [size, createHash('sha256').update(bytes).digest('hex')])
    assert.deepEqual(await buffer(await blobs.open(stored)), bytes)
    await blobs.remove(stored.blob)
  }
  assert.equal(await filesLeft(), 0)
})

test('many uploads at once, in one folder, are all there', async () => {
  const blobs = createFolderBlobs(folder, { retryAfterSeconds: 5, clock: () => Date.UTC(2026, 10, 15) })
  const stored = await Promise.all(
    Array.from({ length: 50 }, (_, index) => blobs.put(chunks(`upload ${index}`))),
  )
  for (const [index, blob] of stored.entries()) {
    assert.equal((await buffer(await blobs.open(blob))).toString(), `upload ${index}`)
  }
  assert.equal(new Set(stored.map(({ blob }) => blob)).size, 50)
})
