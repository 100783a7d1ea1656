import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { inPieces } from '../../../../test/harness/blob-store-contract.ts'
import { quick, type S3UnderTest, setUpS3 } from '../../../../test/harness/s3-store.ts'
import type { KeptFile } from '../../../files/ports.ts'
import type { S3Blobs } from './s3.ts'

const small = Buffer.from('a small file')
const large = randomBytes(6 * 1024 * 1024)
const unavailable = { code: 'unavailable', retryAfterSeconds: 5 }

/** The longest time would outlast the test: only what is given up as silent can pass. */
const patient = { ...quick, blobAnswerMs: 50_000, blobSilentMs: 100, blobRetryMs: 150, blobTakeBackMs: 50 }

const everything = [
  ...['PutObject', 'GetObject', 'HeadObject', 'DeleteObject', 'CreateMultipartUpload', 'UploadPart'],
  ...['CompleteMultipartUpload', 'AbortMultipartUpload', 'ListObjectsV2', 'ListMultipartUploads'],
]

describe('a store that takes connections and says nothing', { timeout: 40_000 }, () => {
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
  // What goes on alone loses its connections, and ends.
  afterEach(async () => {
    blobs.close()
    await s3.proxy.leave()
    await s3.proxy.come()
    s3.proxy.heal()
  })

  test('an upload is answered with 503', async () => {
    for (const content of [small, large]) await assert.rejects(blobs.put(inPieces(content)), unavailable)
  })

  test('so is a download', async () => {
    await assert.rejects(blobs.open(file), unavailable)
    await assert.rejects(blobs.open(file, { start: 2, end: 9 }), unavailable)
  })

  test('so is the removal of a file, and the probe of the doctor', async () => {
    await assert.rejects(blobs.remove(String(file.blob)), /does not answer/)
    await assert.rejects(blobs.prove(), /does not answer/)
  })

  test('a download that it stops in the middle is cut, and not asked for without end', async () => {
    s3.proxy.heal()
    s3.proxy.break('GetObject', 'stall-answer')
    const hasty = s3.open({ limits: { ...quick, blobStallMs: 50, blobResumes: 100_000 } })
    // Each answer brings half of what is left, and in the end nothing.
    await assert.rejects(buffer(await hasty.open(file)), unavailable)
    hasty.close()
  })
})
