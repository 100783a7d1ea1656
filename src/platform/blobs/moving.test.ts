import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { inPieces, storedAt } from '../../../test/harness/blob-store-contract.ts'
import { storedBlobs } from '../../../test/harness/s3.ts'
import { type S3UnderTest, setUpS3 } from '../../../test/harness/s3-store.ts'
import { Problem } from '../core/problems.ts'
import { reasonOf } from '../core/reason.ts'
import { createFolderBlobs, type FolderBlobs } from './folder.ts'
import { createMovingBlobs } from './moving.ts'
import type { BlobStore } from './ports.ts'

let s3: S3UnderTest
let path: string
let folder: FolderBlobs
let blobs: BlobStore
before(async () => {
  s3 = await setUpS3()
  path = join(await mkdtemp(join(tmpdir(), 'dossier-moving-')), 'blobs')
  folder = createFolderBlobs(path, { clock: () => storedAt })
  blobs = createMovingBlobs(folder, s3.blobs)
})
after(async () => {
  await s3.remove()
  await rm(dirname(path), { recursive: true })
})

const stored = () => storedBlobs({ DATA_DIR: dirname(path) })

describe('S3 with a folder beside it', () => {
  test('lists days and uploads of both, and cleans up both', async () => {
    await stored().write('20261101/00/a', 'a')
    await stored().write('20261102/00/b', 'b')
    await s3.bucket.write('20261102/01/c', 'c')
    await s3.bucket.write('20261103/00/d', 'd')
    assert.deepEqual(await blobs.days(''), ['20261101', '20261102', '20261103'])
    assert.deepEqual(await blobs.days('20261101'), ['20261102', '20261103'])
    const found: string[] = []
    for await (const batch of blobs.uploadedOn('20261102')) found.push(...batch)
    assert.deepEqual(found.toSorted(), ['20261102/00/b', '20261102/01/c'])
    for (const day of await blobs.days('')) {
      for await (const batch of blobs.uploadedOn(day)) for (const blob of batch) await blobs.remove(blob)
      await blobs.tidyDay(day)
    }
    assert.deepEqual(await blobs.days(''), [])
  })

  test('reads files from either', async () => {
    for (const store of [folder, s3.blobs]) {
      const file = await store.put(inPieces(Buffer.from('some content')))
      assert.equal((await buffer(await blobs.open(file))).toString(), 'some content')
      assert.equal((await buffer(await blobs.open(file, { start: 5, end: 6 }))).toString(), 'co')
      assert.equal(await blobs.examine(file, async ({ size }) => size), 12)
      await blobs.remove(file.blob)
      await assert.rejects(blobs.open(file), { code: 'unavailable' })
    }
    assert.deepEqual([await stored().names(), await s3.bucket.names()], [[], []])
  })

  test('takes a file from S3 if the one in the folder is wrong', async () => {
    const file = await s3.blobs.put(inPieces(Buffer.from('some content')))
    await stored().write(file.blob, 'short')
    assert.equal((await buffer(await blobs.open(file))).toString(), 'some content')
    assert.equal(await blobs.examine(file, async ({ size }) => size), 12)
    await blobs.remove(file.blob)
  })

  test('reports the fault of the file in the folder if S3 has none', async () => {
    const file = { blob: '20261101/00/short', size: 12 }
    await stored().write(file.blob, 'short')
    const isTold = (error: unknown) =>
      error instanceof Problem && reasonOf(error).includes('has 5 bytes instead of 12')
    await assert.rejects(blobs.open(file), isTold)
    await assert.rejects(
      blobs.examine(file, async () => {}),
      isTold,
    )
    await blobs.remove(file.blob)
    await assert.rejects(blobs.open(file), error => reasonOf(error).includes('NoSuchKey'))
  })

  test('does not ask S3 when the examiner of a file rejects it', async () => {
    const file = await folder.put(inPieces(Buffer.from('some content')))
    const refusal = new Error('not this one')
    s3.reports.splice(0)
    await assert.rejects(
      blobs.examine(file, () => Promise.reject(refusal)),
      refusal,
    )
    assert.deepEqual(s3.reports, [])
    await blobs.remove(file.blob)
  })

  test('redirects to files in S3, and sends files in the folder', async () => {
    const request = { contentType: 'a/b', contentDisposition: 'attachment', cacheControl: 'private' }
    const redirecting = createMovingBlobs(folder, { ...s3.blobs, delegateDownload: s3.blobs.sign })
    for (const store of [folder, s3.blobs]) {
      const file = await store.put(inPieces(Buffer.from('some content')))
      const way = await redirecting.delegateDownload?.(file, { ...request, isNginxInFront: false })
      assert.equal(way !== undefined, store === s3.blobs)
      await blobs.remove(file.blob)
    }
  })
})
