import assert from 'node:assert/strict'
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
