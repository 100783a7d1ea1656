import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { FileLost } from '../../src/platform/blobs/faults.ts'
import type { BlobStore } from '../../src/platform/blobs/ports.ts'
import type { RandomReader } from '../../src/platform/core/random-reader.ts'
import type { StoredBlobs } from './s3.ts'

/** The time at which everything is stored. */
export const storedAt = Date.UTC(2026, 10, 15, 14)

export interface StoreUnderTest {
  blobs: BlobStore
  stored: StoredBlobs
  /** A refused or interrupted upload must leave nothing, in the store or on the way to it. */
  assertNothingElse(names: string[]): Promise<void>
}

export async function* inPieces(bytes: Buffer, length = 50_000) {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length)
}

const text = (...parts: string[]) => inPieces(Buffer.from(parts.join('')), 6)
const mebibyte = 1024 * 1024

/** The contract of every file store. */
export function blobStoreContract(use: () => StoreUnderTest): void {
  test('the check sees the complete content, any part of it, and its end', async () => {
    const { blobs, assertNothingElse } = use()
    const seen: unknown[] = []
    const blob = await blobs.put(text('first ', 'second', ' third'), async file => {
      const read = async (start: number, length: number) =>
        Buffer.from(await file.read(start, length)).toString()
      seen.push(file.size, await read(0, 5), await read(6, 100), await read(17, 5), await read(18, 5))
    })
    assert.deepEqual(seen, [18, 'first', 'second third', 'd', ''])
    assert.match(blob.blob, /^20261115\/14\/0000000-[0-9a-f-]{36}$/)
    assert.equal((await buffer(await blobs.open(blob))).toString(), 'first second third')
    await assertNothingElse([blob.blob])
    await blobs.remove(blob.blob)
    await assertNothingElse([])
    await blobs.remove(blob.blob)
  })

  for (const [name, size] of [
    ['small', 100],
    ['large', 6 * mebibyte],
  ] as const) {
    test(`a blob that the check refuses leaves nothing behind: a ${name} one`, async () => {
      const { blobs, assertNothingElse } = use()
      const refusal = new Error('not this one')
      const put = blobs.put(inPieces(randomBytes(size)), () => Promise.reject(refusal))
      await assert.rejects(put, refusal)
      await assertNothingElse([])
    })

    test(`content that breaks off is never checked and leaves nothing behind: a ${name} one`, async () => {
      const { blobs, assertNothingElse } = use()
      async function* broken() {
        yield* inPieces(randomBytes(size))
        throw new Error('gone')
      }
      const put = blobs.put(broken(), () => assert.fail('checked half a file'))
      await assert.rejects(put, /gone/)
      await assertNothingElse([])
    })
  }

  test('small and large blobs come back unchanged, whole and in part', async () => {
    const { blobs, assertNothingElse } = use()
    const part = 5 * mebibyte
    for (const size of [0, 1, 128 * 1024, 128 * 1024 + 1, 1_000_000, part, part + 1, 2 * part + 7]) {
      const bytes = randomBytes(size)
      const assertSame = (found: Buffer, wanted = bytes) => assert.ok(found.equals(wanted), `of ${size}`)
      const read = async (file: RandomReader) => assertSame(Buffer.from(await file.read(0, file.size)))
      const stored = await blobs.put(inPieces(bytes), read)
      assert.deepEqual([stored.size, stored.sha256], [size, createHash('sha256').update(bytes).digest('hex')])
      assertSame(await buffer(await blobs.open(stored)))
      await blobs.examine(stored, read)
      const middle = Math.floor(size / 2)
      const ranges = [
        [0, 0],
        [middle, size - 1],
        [middle, middle + 9],
      ] as const
      for (const [start, end] of size > 100 ? ranges : []) {
        assertSame(await buffer(await blobs.open(stored, { start, end })), bytes.subarray(start, end + 1))
      }
      await blobs.remove(stored.blob)
    }
    await assertNothingElse([])
  })

  test('a missing, wrongly sized or discarded blob is refused before the first byte', async () => {
    const { blobs, stored } = use()
    const blob = await blobs.put(text('content'))
    const refused = { code: 'unavailable', retryAfterSeconds: 5 }
    const look = async () => assert.fail('looked at something else')
    for (const file of [
      { ...blob, size: 6 },
      { ...blob, size: 8 },
      { ...blob, blob: `${blob.blob}0` },
      { ...blob, blob: null },
    ]) {
      await assert.rejects(blobs.open(file), refused)
      if (file.blob !== null) await assert.rejects(blobs.open(file), FileLost)
      await assert.rejects(blobs.open(file, { start: 1, end: 2 }), refused)
      await assert.rejects(blobs.examine(file, look), refused)
    }
    await stored.remove(blob.blob)
    await assert.rejects(blobs.open(blob), refused)
  })

  test('days are listed in order, each with its uploads, and removed when they are empty', async () => {
    const { blobs, stored, assertNothingElse } = use()
    const names = ['20261113/00/b', '20261114/09/a', '20261114/23/c', '20261115/14/d']
    // From the time when files were named by their hashes.
    const old = ['20/20e4', 'ab/abcd']
    for (const name of [...names, ...old]) await stored.write(name, name)
    assert.deepEqual(await blobs.days(''), ['20261113', '20261114', '20261115'])
    assert.deepEqual(await blobs.days('20261113'), ['20261114', '20261115'])
    assert.deepEqual(await blobs.days('20261115'), [])
    const found: string[] = []
    for await (const batch of blobs.uploadedOn('20261114')) found.push(...batch)
    assert.deepEqual(found.toSorted(), names.slice(1, 3))
    for (const name of found) await blobs.remove(name)
    await blobs.tidyDay('20261114')
    assert.deepEqual(await blobs.days(''), ['20261113', '20261115'])
    for (const name of [...names, ...old]) await blobs.remove(name)
    for (const day of ['20261113', '20261115']) await blobs.tidyDay(day)
    await assertNothingElse([])
  })

  test('concurrent uploads are all stored', async () => {
    const { blobs } = use()
    const stored = await Promise.all(
      Array.from({ length: 50 }, (_, index) => blobs.put(text(`upload ${index}`))),
    )
    for (const [index, blob] of stored.entries()) {
      assert.equal((await buffer(await blobs.open(blob))).toString(), `upload ${index}`)
    }
    assert.equal(new Set(stored.map(({ blob }) => blob)).size, 50)
    await Promise.all(stored.map(({ blob }) => blobs.remove(blob)))
  })

  test('it exists, and can be used', async () => {
    const { blobs, assertNothingElse } = use()
    await blobs.check()
    await blobs.prove()
    await assertNothingElse([])
  })
}
