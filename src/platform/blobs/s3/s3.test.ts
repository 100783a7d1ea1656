import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { blobStoreContract, inPieces } from '../../../../test/harness/blob-store-contract.ts'
import { longTest } from '../../../../test/harness/effort.ts'
import { quick, type S3UnderTest, setUpS3 } from '../../../../test/harness/s3-store.ts'
import { readS3Address, readS3Encryption } from '../../core/addresses/s3-address.ts'

let s3: S3UnderTest
before(async () => {
  s3 = await setUpS3()
})
after(() => s3.remove())
beforeEach(() => {
  s3.proxy.heal()
  s3.reports.splice(0)
})

describe('S3 keeps the contract of every file store', () => {
  blobStoreContract(() => s3)
})

const large = randomBytes(6 * 1024 * 1024)
const small = Buffer.from('a small file')

test('a file larger than a part is sent in parts while the rest still arrives', async () => {
  const { blobs, proxy, bucket } = s3
  const begun = Promise.withResolvers<void>()
  async function* slowly() {
    yield* inPieces(large)
    // The first part is sent before the last byte arrives.
    while (!proxy.calls.some(({ operation }) => operation === 'UploadPart')) await new Promise(setImmediate)
    begun.resolve()
    yield Buffer.from('the end')
  }
  const stored = await blobs.put(slowly())
  await begun.promise
  assert.deepEqual(
    proxy.calls.map(({ operation }) => operation),
    ['CreateMultipartUpload', 'UploadPart', 'UploadPart', 'CompleteMultipartUpload'],
  )
  assert.equal(stored.size, large.length + 7)
  assert.deepEqual(await bucket.names(), [stored.blob])
  await blobs.remove(stored.blob)
})

test('every call sends the headers it needs: MD5, encryption, hash', async () => {
  const { open, proxy } = s3
  const blobs = open({ encryption: readS3Encryption('aws:kms:arn:aws:kms:eu-central-1:1:key/2') })
  const [one, two] = [await blobs.put(inPieces(small)), await blobs.put(inPieces(large))]
  const headersOf = (operation: string) => proxy.calls.find(call => call.operation === operation)?.headers
  const key = 'arn:aws:kms:eu-central-1:1:key/2'
  for (const operation of ['PutObject', 'CreateMultipartUpload']) {
    const headers = headersOf(operation)
    assert.equal(headers?.['x-amz-server-side-encryption'], 'aws:kms')
    assert.equal(headers?.['x-amz-server-side-encryption-aws-kms-key-id'], key)
  }
  for (const operation of ['PutObject', 'UploadPart']) {
    const headers = headersOf(operation)
    assert.match(String(headers?.['content-md5']), /^[\w+/]{22}==$/)
    // Only headers that every server knows.
    assert.deepEqual(
      Object.keys(headers ?? {}).filter(name => /checksum|trailer|expect|transfer-encoding/.test(name)),
      [],
    )
  }
  assert.equal(headersOf('PutObject')?.['x-amz-meta-sha256'], one.sha256)
  for (const { blob } of [one, two]) await blobs.remove(blob)
  blobs.close()
})

test('multipart uploads that a process left behind are aborted with their day', async () => {
  const { blobs, proxy, bucket, assertNothingElse } = s3
  // Like a process that dies before it can clean up.
  proxy.break('AbortMultipartUpload', { status: 403, code: 'AccessDenied' })
  await assert.rejects(blobs.put(inPieces(large), () => Promise.reject(new Error('refused'))))
  proxy.heal()
  assert.equal(await bucket.uploads(), 1)
  assert.deepEqual(await blobs.days(''), ['20261115'])
  await blobs.tidyDay('20261114')
  assert.equal(await bucket.uploads(), 1)
  await blobs.tidyDay('20261115')
  await assertNothingElse([])
})

test('a server that does not list multipart uploads is sufficient', async () => {
  const { blobs, proxy, bucket } = s3
  await bucket.write('20261112/00/a', 'a')
  for (const status of [405, 501]) {
    proxy.break('ListMultipartUploads', { status, code: 'NotImplemented' })
    assert.deepEqual(await blobs.days(''), ['20261112'])
    await blobs.tidyDay('20261112')
  }
  await blobs.prove()
  await blobs.remove('20261112/00/a')
})

test('lists more keys than S3 returns at once', async () => {
  const { blobs, bucket } = s3
  const names = Array.from({ length: 1_001 }, (_, index) => `20261110/00/${String(index).padStart(4, '0')}`)
  await Promise.all(names.map(name => bucket.write(name, '')))
  const batches: string[][] = []
  for await (const batch of blobs.uploadedOn('20261110')) batches.push(batch)
  assert.deepEqual(batches.flat(), names)
  assert.ok(batches.length > 1)
  await Promise.all(names.map(name => bucket.remove(name)))
})

const uploads = 25
const hourMs = 3_600_000

longTest('concurrent large uploads are not held in memory', async t => {
  const { open, bucket, assertNothingElse } = s3
  const blobs = open({
    // Not through the proxy, which would buffer some of it in this process.
    address: readS3Address(bucket.settings()['BLOBS_URL'] as string),
    // Memory is measured here: a busy machine may take its time.
    limits: { ...quick, blobAnswerMs: hourMs, blobSilentMs: hourMs, blobStoreMs: hourMs },
  })
  const piece = randomBytes(64 * 1024)
  async function* content() {
    for (let sent = 0; sent < 96; sent++) yield piece
  }
  // Memory in use, without garbage.
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const bytesHeld = () => {
    collect()
    return process.memoryUsage().arrayBuffers
  }
  const held = bytesHeld()
  let max = 0
  const watch = setInterval(() => {
    max = Math.max(max, bytesHeld() - held)
  }, 200)
  t.after(() => clearInterval(watch))
  const stored = await Promise.all(Array.from({ length: uploads }, () => blobs.put(content())))
  // Each upload has sent 6 MiB; its first part alone is 5 MiB.
  assert.ok(max < uploads * 1024 * 1024, `${max} bytes in buffers`)
  await Promise.all(stored.map(({ blob }) => blobs.remove(blob)))
  await assertNothingElse([])
  blobs.close()
})
