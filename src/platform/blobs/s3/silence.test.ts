import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { inPieces } from '../../../../test/harness/blob-store-contract.ts'
import { quick, type S3UnderTest, setUpS3 } from '../../../../test/harness/s3-store.ts'
import type { KeptFile } from '../ports.ts'
import type { S3Blobs } from './s3.ts'

const small = Buffer.from('a small file')
const large = randomBytes(6 * 1024 * 1024)
const unavailable = { code: 'unavailable', retryAfterSeconds: 5 }

/** The longest limit would outlast the test: only calls that detect silence can pass. */
const patient = { ...quick, blobAnswerMs: 50_000, blobSilentMs: 100, blobRetryMs: 150, blobTakeBackMs: 50 }

const everything = [
  'PutObject',
  'GetObject',
  'HeadObject',
  'DeleteObject',
  'CreateMultipartUpload',
  'UploadPart',
  'CompleteMultipartUpload',
  'AbortMultipartUpload',
  'ListObjectsV2',
  'ListMultipartUploads',
]

describe('with a store that accepts connections and never answers', { timeout: 40_000 }, () => {
  let s3: S3UnderTest
  let file: KeptFile
  let blobs: S3Blobs
  before(async () => {
    s3 = await setUpS3()
    file = await s3.blobs.put(inPieces(large))
  })
  after(() => s3.remove())
  beforeEach(() => {
    blobs = s3.open({ limits: patient })
    for (const operation of everything) s3.proxy.break(operation, 'mute')
  })
  // Background work loses its connections and ends.
  afterEach(async () => {
    blobs.close()
    await s3.proxy.leave()
    await s3.proxy.come()
    s3.proxy.heal()
  })

  test('an upload fails with 503', async () => {
    for (const content of [small, large]) await assert.rejects(blobs.put(inPieces(content)), unavailable)
  })

  test('a download fails with 503', async () => {
    await assert.rejects(blobs.open(file), unavailable)
    await assert.rejects(blobs.open(file, { start: 2, end: 9 }), unavailable)
  })

  test('the removal of a file and the check of the doctor fail with 503', async () => {
    await assert.rejects(blobs.remove(String(file.blob)), /does not answer/)
    await assert.rejects(blobs.prove(), /does not answer/)
  })

  test('a download that stalls half-way is cut off, and not retried for ever', async () => {
    s3.proxy.heal()
    s3.proxy.break('GetObject', 'stall-answer')
    const hasty = s3.open({ limits: { ...quick, blobStallMs: 50, blobResumes: 100_000 } })
    // Each response brings half of the rest, and finally nothing.
    await assert.rejects(buffer(await hasty.open(file)), unavailable)
    hasty.close()
  })
})
