import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import type { ByteRange } from '../ports.ts'
import { blobFirstPauseMs, type S3Calls } from './calls.ts'
import { faultOf, S3Fault } from './faults.ts'

/** Limit: How often the rest of one file is requested again: a connection that breaks more often is down. */
const blobResumes = 10

export interface DownloadLimits {
  blobStallMs: number
  blobResumes?: number
  blobFirstPauseMs?: number
}

/** A stalled store is abandoned while the reader is still connected: see connectionIdleSeconds. */
const maxSilent = 2

/** The wanted part of an object, and the known facts about the object. */
export interface Wanted {
  key: string
  size: number
  sha256: string | undefined
  range: ByteRange | undefined
}

/**
 * Rejects unless S3 begins to send exactly the wanted bytes. A response that breaks off or stalls later is requested
 * again from that position. The last piece is held back until all bytes have been counted and, for a whole object,
 * compared with their hash: a reader who knows the length must never receive the last byte of wrong content.
 */
export async function openDownload(
  s3: S3Calls,
  wanted: Wanted,
  changed: DownloadLimits,
  /** Converts the error that destroys the stream. */
  asTold: (error: unknown) => unknown = error => error,
): Promise<Readable> {
  const limits = { blobResumes, blobFirstPauseMs, ...changed }
  const { size, sha256, range } = wanted
  const first = range?.start ?? 0
  const length = (range?.end ?? size - 1) + 1 - first
  const gone = new AbortController()
  let body = await begin(s3, wanted, first, gone.signal)

  /** Continues with the rest from another response. */
  async function resume(received: number, isHopeless: boolean, cause: unknown): Promise<void> {
    body.destroy()
    if (isHopeless) throw faultOf(cause, 'GetObject', s3.address)
    await sleep(Math.random() * limits.blobFirstPauseMs, undefined, { signal: gone.signal })
    body = await begin(s3, wanted, first + received, gone.signal)
  }

  async function* deliver(): AsyncGenerator<Buffer> {
    const hash = length === size && sha256 !== undefined ? createHash('sha256') : undefined
    let received = 0
    let held: Buffer | undefined
    /** Number of consecutive responses that began but contained no bytes. */
    let silent = 0
    for (let resumes = 1; received < length; resumes++) {
      const receivedBefore = received
      let broken: unknown
      try {
        for await (const chunk of withoutStalls(body, limits.blobStallMs)) {
          received += chunk.length
          hash?.update(chunk)
          if (held !== undefined) yield held
          held = chunk
        }
      } catch (error) {
        broken = error
      }
      if (received >= length) break
      if (received > receivedBefore) silent = 0
      else if (isStall(broken)) silent += 1
      const isHopeless = resumes > limits.blobResumes || silent === maxSilent
      await resume(
        received,
        isHopeless,
        broken ?? fault(wanted, `ended after ${received} of ${length} bytes`),
      )
    }
    if (received > length) throw fault(wanted, `sent more than ${length} bytes`)
    if (hash !== undefined && hash.digest('hex') !== sha256) throw fault(wanted, 'sent something else')
    if (held !== undefined) yield held
  }

  async function* deliverOrTell(): AsyncGenerator<Buffer> {
    try {
      yield* deliver()
    } catch (error) {
      throw asTold(error)
    }
  }

  const stream = Readable.from(deliverOrTell(), { objectMode: false })
  stream.once('close', () => {
    gone.abort()
    body.destroy()
  })
  return stream
}

async function begin(s3: S3Calls, wanted: Wanted, from: number, signal: AbortSignal): Promise<Readable> {
  const { key, size, range } = wanted
  const isWhole = range === undefined && from === 0
  const last = range?.end ?? size - 1
  const part = `${from}-${last}`
  const answer = await s3.call(
    'GetObject',
    http =>
      s3.downloads.send(
        new GetObjectCommand({
          Bucket: s3.address.bucket,
          Key: key,
          ...(isWhole ? {} : { Range: `bytes=${part}` }),
        }),
        http,
      ),
    { signal, bytes: 0 },
  )
  const body = answer.Body as Readable | undefined
  // The stream's reader gets the error; without a reader, it is not an unhandled error.
  body?.on('error', () => {})
  const { ContentRange, ContentLength } = answer
  const isRight =
    ContentRange === (isWhole ? undefined : `bytes ${part}/${size}`) && ContentLength === last + 1 - from
  if (body !== undefined && isRight) return body
  body?.destroy()
  throw fault(wanted, `has ${ContentRange ?? `${ContentLength} bytes`} instead of ${part}/${size}`)
}

/** Counts time only while the reader waits for S3, not while S3 waits for the reader. */
async function* withoutStalls(body: Readable, ms: number): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]()
  for (;;) {
    const timer = setTimeout(() => body.destroy(new S3Fault(`GetObject: silent for ${ms} ms`, stalled)), ms)
    const next = await chunks.next().finally(() => clearTimeout(timer))
    if (next.done) return
    yield next.value
  }
}

const stalled = 'Stalled'
const isStall = (error: unknown) => error instanceof S3Fault && error.code === stalled

const fault = ({ key }: Wanted, words: string) => new S3Fault(`GetObject: ${key} ${words}`, 'NotAsStored')
