import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { inPieces } from '../../../../test/harness/blob-store-contract.ts'
import { some } from '../../../../test/harness/effort.ts'
import type { S3FaultKind } from '../../../../test/harness/s3-fault-proxy.ts'
import { quick, type S3UnderTest, setUpS3 } from '../../../../test/harness/s3-store.ts'
import { readS3Address } from '../../core/addresses/s3-address.ts'
import type { KeptFile } from '../ports.ts'
import { createS3Calls } from './calls.ts'
import { faultOf } from './faults.ts'

let s3: S3UnderTest
before(async () => {
  s3 = await setUpS3()
})
after(() => s3.remove())

function eachFindsS3Sound(): void {
  beforeEach(() => {
    s3.proxy.heal()
    s3.reports.splice(0)
  })
}

const small = Buffer.from('a small file')
const large = randomBytes(6 * 1024 * 1024)
const unavailable = { code: 'unavailable', retryAfterSeconds: 5 }

/** `npm test` runs the first four. */
const uploadFaults: [operation: string, kind: S3FaultKind][] = [
  ['PutObject', 'slow-down'],
  ['CreateMultipartUpload', 'slow-down'],
  ['UploadPart', 'slow-down'],
  ['CompleteMultipartUpload', 'slow-down'],
  ['PutObject', 'cut-request'],
  ['PutObject', 'change-request'],
  ['PutObject', 'lose-answer'],
  ['CreateMultipartUpload', 'cut-answer'],
  ['CreateMultipartUpload', 'lose-answer'],
  ['UploadPart', 'cut-request'],
  ['UploadPart', 'change-request'],
  ['UploadPart', 'lose-answer'],
  ['CompleteMultipartUpload', 'cut-answer'],
]
/** A short limit first, then long ones: a busy machine must not look like a broken store. */
const impatient = { limits: { ...quick, blobAnswerMs: 500, blobAttempts: 20 } }
const contentFor = (operation: string) => (operation === 'PutObject' ? small : large)

describe('an upload', () => {
  eachFindsS3Sound()

  for (const [operation, kind] of some(4, uploadFaults)) {
    test(`succeeds after a retry: ${operation}, ${kind}`, async () => {
      const { blobs, proxy, reports, assertNothingElse } = s3
      proxy.break(operation, kind, 1)
      const content = contentFor(operation)
      const stored = await blobs.put(inPieces(content))
      assert.ok(reports.includes(`${operation} retried`))
      assert.ok((await buffer(await blobs.open(stored))).equals(content))
      await assertNothingElse([stored.blob])
      await blobs.remove(stored.blob)
    })

    // An object that was created exists, even if its response was lost.
    if (operation === 'CompleteMultipartUpload' && kind !== 'slow-down') continue
    test(`that S3 never accepts fails with 503 and leaves nothing: ${operation}, ${kind}`, async () => {
      const { blobs, proxy, reports, assertNothingElse } = s3
      proxy.break(operation, kind)
      await assert.rejects(blobs.put(inPieces(contentFor(operation))), unavailable)
      assert.equal(reports.filter(report => report.startsWith(operation)).length, quick.blobAttempts)
      await assertNothingElse([])
    })
  }

  test('succeeds if S3 completed it but never answered', async () => {
    const { blobs, proxy, assertNothingElse } = s3
    proxy.break('CompleteMultipartUpload', 'lose-answer')
    const stored = await blobs.put(inPieces(large))
    await assertNothingElse([stored.blob])
    await blobs.remove(stored.blob)
  })

  test('that was started twice before it failed leaves nothing', async () => {
    const { blobs, proxy, assertNothingElse } = s3
    proxy.break('CreateMultipartUpload', 'lose-answer', 1)
    proxy.break('UploadPart', { status: 403, code: 'AccessDenied' })
    await assert.rejects(blobs.put(inPieces(large)), unavailable)
    await assertNothingElse([])
  })

  test('that breaks off while it starts is aborted once it has started', async () => {
    const { blobs, proxy, reports, assertNothingElse } = s3
    async function* content() {
      yield* inPieces(large)
      while (proxy.calls.length === 0) await new Promise(setImmediate)
      throw new Error('disconnected')
    }
    await assert.rejects(blobs.put(content()), /disconnected/)
    assert.deepEqual(reports, ['CreateMultipartUpload ok', 'AbortMultipartUpload ok'])
    await assertNothingElse([])
  })

  for (const content of [small, large]) {
    test(`of ${content.length} bytes fails with 503 while S3 refuses connections, and then works again`, async () => {
      const { blobs, proxy, assertNothingElse } = s3
      await proxy.leave()
      await assert.rejects(blobs.put(inPieces(content)), unavailable)
      await proxy.come()
      await assertNothingElse([])
      const stored = await blobs.put(inPieces(content))
      await blobs.remove(stored.blob)
    })
  }

  test('does not wait for ever', async () => {
    const { open, proxy } = s3
    const blobs = open({ limits: { ...quick, blobAnswerMs: 100, blobAttempts: 1 } })
    for (const operation of ['PutObject', 'UploadPart']) {
      proxy.break(operation, 'mute')
      await assert.rejects(blobs.put(inPieces(contentFor(operation))), unavailable)
    }
    blobs.close()
    for (const day of await s3.blobs.days('')) await s3.blobs.tidyDay(day)
  })

  test('whose responses begin but do not end is retried', async () => {
    const { proxy, reports, assertNothingElse } = s3
    const blobs = s3.open(impatient)
    proxy.break('CreateMultipartUpload', 'stall-answer', 1)
    proxy.break('CompleteMultipartUpload', 'stall-answer', 1)
    const stored = await blobs.put(inPieces(large))
    for (const operation of ['CreateMultipartUpload', 'CompleteMultipartUpload'])
      assert.ok(reports.includes(`${operation} retried`))
    await assertNothingElse([stored.blob])
    await blobs.remove(stored.blob)
    blobs.close()
  })

  test('is answered while S3 is silent, and removed once S3 answers', async () => {
    const { proxy, reports, assertNothingElse } = s3
    const limits = { ...quick, blobAnswerMs: 1_000, blobStoreMs: 200, blobTakeBackMs: 50 }
    for (const [operation, takeBack] of [
      ['PutObject', 'DeleteObject'],
      ['CompleteMultipartUpload', 'AbortMultipartUpload'],
    ] as const) {
      const blobs = s3.open({ limits })
      proxy.break(operation, 'mute')
      proxy.break(takeBack, 'mute', 1)
      await assert.rejects(blobs.put(inPieces(contentFor(operation))), unavailable)
      assert.ok(!reports.some(report => report.startsWith(takeBack)), 'the caller did not wait for it')
      while (!reports.includes('DeleteObject ok')) await sleep(20)
      await assertNothingElse([])
      reports.splice(0)
      blobs.close()
    }
  })

  test('fails with 503 if there is no disk space', async () => {
    for (const spoolFolder of ['/dev/null', '/dev/null/spool']) {
      const blobs = s3.open({ spoolFolder })
      await assert.rejects(blobs.put(inPieces(large)), unavailable)
      blobs.close()
    }
  })

  test('that is rejected permanently is not retried', async () => {
    const { blobs, proxy, reports } = s3
    proxy.break('PutObject', { status: 403, code: 'AccessDenied' })
    await assert.rejects(blobs.put(inPieces(small)), unavailable)
    assert.deepEqual(reports, ['PutObject failed', 'DeleteObject ok'])
  })
})

/** The bytes that a reader gets, and whether they look complete to it. */
async function read(stream: NodeJS.ReadableStream): Promise<{ bytes: Buffer; isEnded: boolean }> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of stream) chunks.push(chunk as Buffer)
    return { bytes: Buffer.concat(chunks), isEnded: true }
  } catch {
    return { bytes: Buffer.concat(chunks), isEnded: false }
  }
}

describe('a download', () => {
  eachFindsS3Sound()

  let files: KeptFile[]
  before(async () => {
    s3.proxy.heal()
    files = [await s3.blobs.put(inPieces(small)), await s3.blobs.put(inPieces(large))]
  })
  const contentOf = (file: KeptFile) => (file.size === large.length ? large : small)
  /** Short: a false stall costs only one request. */
  const hasty = { limits: { ...quick, blobStallMs: 100, blobResumes: 10 } }

  for (const kind of ['slow-down', 'cut-answer', 'stall-answer', 'lose-answer'] as const) {
    test(`succeeds after another request to S3: ${kind}`, async () => {
      const { open, proxy } = s3
      const blobs = open(hasty)
      for (const file of files) {
        proxy.break('GetObject', kind, 1)
        assert.ok((await buffer(await blobs.open(file))).equals(contentOf(file)))
        proxy.break('GetObject', kind, 1)
        const part = await buffer(await blobs.open(file, { start: 2, end: 9 }))
        assert.ok(part.equals(contentOf(file).subarray(2, 10)))
      }
      blobs.close()
    })
  }

  for (const kind of ['cut-answer', 'stall-answer', 'change-answer'] as const) {
    test(`never looks complete if it is not: ${kind}`, async () => {
      const { open, proxy } = s3
      const blobs = open({ limits: { ...quick, blobStallMs: 50, blobResumes: 5 } })
      proxy.break('GetObject', kind)
      for (const file of files) {
        const { bytes, isEnded } = await read(await blobs.open(file))
        assert.equal(isEnded, false)
        assert.ok(bytes.length < file.size, 'a reader who knows the length must miss the end')
        await assert.rejects(
          blobs.examine(file, async () => {}),
          unavailable,
        )
      }
      blobs.close()
    })
  }

  for (const kind of ['short-answer', 'short-chunks', 'slow-down', 'lose-answer'] as const) {
    test(`is rejected before the first byte: ${kind}`, async () => {
      const { blobs, proxy } = s3
      proxy.break('GetObject', kind)
      for (const file of files) {
        await assert.rejects(blobs.open(file), unavailable)
        await assert.rejects(blobs.open(file, { start: 2, end: 9 }), unavailable)
      }
    })
  }

  test('of other content of the same length never looks complete', async () => {
    const { blobs, bucket } = s3
    for (const content of [small, large]) {
      const file = await blobs.put(inPieces(content))
      const changed = Buffer.from(content)
      changed[0] = (changed[0] as number) ^ 1
      await bucket.write(file.blob, changed)
      const { bytes, isEnded } = await read(await blobs.open(file))
      assert.deepEqual([isEnded, bytes.length < file.size], [false, true])
      await blobs.remove(file.blob)
    }
  })

  test('by a range of all bytes never looks complete if the content is wrong', async () => {
    s3.proxy.break('GetObject', 'change-answer')
    for (const file of files) {
      const { bytes, isEnded } = await read(await s3.blobs.open(file, { start: 0, end: file.size - 1 }))
      assert.deepEqual([isEnded, bytes.length < file.size], [false, true])
    }
  })

  test('whose error response never ends is rejected', async () => {
    const blobs = s3.open(impatient)
    s3.proxy.break('GetObject', 'stall-answer', 1)
    await assert.rejects(blobs.open({ blob: '20261115/00/none', size: 9 }), unavailable)
    assert.deepEqual([...new Set(s3.reports)], ['GetObject retried', 'GetObject missing'])
    blobs.close()
  })

  test('waits for a slow reader', async () => {
    const { open } = s3
    const blobs = open({ limits: { ...quick, blobStallMs: 2_000, blobResumes: 0 } })
    const stream = await blobs.open(files[1] as KeptFile)
    const chunks: Buffer[] = []
    for await (const chunk of stream) {
      if (chunks.length === 0) await sleep(2_500)
      chunks.push(chunk as Buffer)
    }
    assert.ok(Buffer.concat(chunks).equals(large))
    blobs.close()
  })

  test('releases its connection when the reader disconnects', async () => {
    const { open } = s3
    const blobs = open({ limits: { ...quick, blobSockets: 1 } })
    for (let round = 0; round < 3; round++) {
      const stream = await blobs.open(files[1] as KeptFile)
      ;(stream as unknown as { destroy(): void }).destroy()
    }
    assert.ok((await buffer(await blobs.open(files[1] as KeptFile))).equals(large))
    blobs.close()
  })
})

describe('other calls', () => {
  eachFindsS3Sound()

  test('a list whose response begins but does not end is retried', async () => {
    const blobs = s3.open(impatient)
    for (const operation of ['ListObjectsV2', 'ListMultipartUploads'])
      s3.proxy.break(operation, 'stall-answer', 1)
    assert.deepEqual(await blobs.days(''), ['20261115'])
    for (const operation of ['ListObjectsV2', 'ListMultipartUploads'])
      assert.ok(s3.reports.includes(`${operation} retried`))
    blobs.close()
  })

  test('does not wait for an SDK that never sends a request', async () => {
    const limits = { ...quick, blobAnswerMs: 50, blobAttempts: 1 }
    const calls = createS3Calls(readS3Address('s3://bucket?region=here'), limits, () => {})
    await assert.rejects(
      calls.call('PutObject', () => new Promise(() => {})),
      {
        name: 'S3Fault',
        code: 'TimeoutError',
      },
    )
    calls.close()
  })

  test('slow readers block only other readers, and the error says so', async () => {
    const { proxy } = s3
    const blobs = s3.open({ limits: { ...quick, blobSockets: 1, blobConnectMs: 2_000 } })
    const [held, stored] = [await blobs.put(inPieces(large)), await blobs.put(inPieces(small))]
    const reading = (await blobs.open(held)) as Readable
    await blobs.check()
    await blobs.remove((await blobs.put(inPieces(small))).blob)
    proxy.heal()
    await assert.rejects(blobs.open(stored), ({ cause }: Error) =>
      /all 1 connections to S3 are in use: .* BLOBS_SOCKETS/.test(String(cause)),
    )
    assert.deepEqual(proxy.calls, [])
    reading.destroy()
    assert.ok((await buffer(await blobs.open(stored))).equals(small))
    for (const { blob } of [held, stored]) await blobs.remove(blob)
    blobs.close()
  })
})

describe('faults are reported with advice', () => {
  eachFindsS3Sound()

  const refusals: [status: number, code: string, words: RegExp][] = [
    [404, 'NoSuchBucket', /there is no bucket "t-[0-9a-f]+" at http:/],
    [403, 'AccessDenied', /allow s3:PutObject on the bucket/],
    [403, 'InvalidAccessKeyId', /does not accept the credentials/],
    [403, 'SignatureDoesNotMatch', /does not accept the credentials/],
    [403, 'RequestTimeTooSkewed', /the clock of this machine is wrong/],
    [301, 'PermanentRedirect', /in another region/],
  ]
  for (const [status, code, words] of refusals) {
    test(code, async () => {
      s3.proxy.break('PutObject', { status, code })
      await assert.rejects(s3.blobs.prove(), { name: 'S3Fault', code, status, message: words })
    })
  }

  test('of a check that writes nothing', async () => {
    const { blobs, proxy } = s3
    for (const [status, words] of [
      [404, /there is no bucket/],
      [403, /allow s3:ListBucket/],
      [503, /HeadBucket/],
    ] as const) {
      proxy.break('HeadBucket', { status, code: 'Whatever' })
      await assert.rejects(blobs.check(), words)
    }
    await proxy.leave()
    await assert.rejects(blobs.check(), /does not answer: check BLOBS_URL, .*ECONNREFUSED/)
    await proxy.come()
  })

  test('for missing credentials and a missing region', () => {
    const address = readS3Address('s3://bucket')
    const without = Object.assign(new Error('Could not load credentials'), {
      name: 'CredentialsProviderError',
    })
    assert.match(faultOf(without, 'PutObject', address).message, /set AWS_ACCESS_KEY_ID/)
    assert.match(faultOf(new Error('Region is missing'), 'PutObject', address).message, /set region=/)
  })
})
