import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { S3Encryption } from '../../../core/addresses/s3-address.ts'
import type { RandomReader } from '../../../core/random-reader.ts'
import { reasonOf } from '../../../core/reason.ts'
import { readerOf } from '../file-io.ts'
import { type S3Calls, unlessAborted } from './calls.ts'
import { S3Fault } from './faults.ts'
import { abortUpload, abortUploads, removeObject } from './objects.ts'

export interface UploadTarget {
  s3: S3Calls
  key: string
  encryption: S3Encryption | undefined
  /** Others may have put the same bytes under this key: what fails does not take them away. */
  isShared?: boolean
}

/** Content that is too large for the memory: it is in a file, and sent from there. */
export interface LargeUpload {
  /** The next piece of the content, which the file has by now. */
  add(chunk: Uint8Array): Promise<void>
  /** Over all that was added. */
  reader(): RandomReader
  /** Returns when S3 has all of it. */
  complete(sha256: string): Promise<void>
  /** Whatever was sent so far is taken back. To be called after `signal`. */
  drop(): Promise<void>
}

interface Part {
  number: number
  start: number
  end: number
  md5: string
}

/** Small: each upload under way holds a few of them. */
const readBytes = 64 * 1024

/**
 * What is larger than one part goes to S3 part by part, each as soon as it is complete and while the next one still
 * arrives. The parts become an object only with `complete`. `file` stays open until the caller closes it, and
 * nothing more is sent after `signal`.
 */
export function createLargeUpload(
  target: UploadTarget,
  file: FileHandle,
  partBytes: number,
  signal: AbortSignal,
): LargeUpload {
  const { s3, key } = target
  const place = { Bucket: s3.address.bucket, Key: key }
  const sent: { PartNumber: number; ETag: string | undefined }[] = []
  let size = 0
  let partStart = 0
  let md5 = createHash('md5')
  let begun: Promise<BegunUpload> | undefined
  let isCompleting = false
  let sending = Promise.resolve()
  let failure: unknown

  async function sendPart(
    { uploadId }: BegunUpload,
    { number, start, end, md5: ContentMD5 }: Part,
  ): Promise<void> {
    const { ETag } = await s3.call(
      'UploadPart',
      http =>
        withPiece(file, start, end, Body => {
          const part = { ...place, UploadId: uploadId, PartNumber: number, Body, ContentMD5 }
          return s3.client.send(new UploadPartCommand({ ...part, ContentLength: end - start }), http)
        }),
      { signal, bytes: end - start },
    )
    sent.push({ PartNumber: number, ETag })
  }

  /** One after the other, behind the back of whoever adds; what fails is told with the next chunk, or at the end. */
  function queuePart(): Promise<BegunUpload> {
    const part = {
      number: Math.floor(partStart / partBytes) + 1,
      start: partStart,
      end: size,
      md5: md5.digest('base64'),
    }
    partStart = size
    md5 = createHash('md5')
    // It is not ended with the rest: only what is known to have begun can be taken back.
    begun ??= beginUpload(target)
    const upload = begun
    sending = sending.then(async () => sendPart(await unlessAborted(upload, signal), part))
    sending.catch(error => {
      failure ??= error
    })
    return upload
  }

  async function putWhole(sha256: string): Promise<void> {
    const ContentMD5 = md5.digest('base64')
    await s3.call(
      'PutObject',
      http =>
        withPiece(file, 0, size, Body =>
          putObject(target, { Body, ContentMD5, ContentLength: size, sha256 }, http),
        ),
      { signal, bytes: size },
    )
  }

  /** Has it become an object, although we were not told so? There is either all of it or nothing. */
  async function isThere(): Promise<boolean> {
    const head = await s3.call('HeadObject', http => s3.client.send(new HeadObjectCommand(place), http), {
      signal,
      bytes: 0,
    })
    return head.ContentLength === size
  }

  async function completeParts(): Promise<void> {
    const upload = queuePart()
    await sending
    const { uploadId, isRepeated } = await upload
    const command = { ...place, UploadId: uploadId, MultipartUpload: { Parts: sent } }
    try {
      await s3.call(
        'CompleteMultipartUpload',
        http => s3.client.send(new CompleteMultipartUploadCommand(command), http),
        { signal },
      )
    } catch (error) {
      if (!(await isThere().catch(() => false))) throw error
    }
    if (isRepeated) await unlessAborted(abortUploads(s3, key), signal).catch(() => {})
  }

  /** Without an answer it may have begun all the same. */
  async function abortParts(begun: Promise<BegunUpload>): Promise<void> {
    const upload = await begun.catch(() => undefined)
    if (upload !== undefined) await abortUpload(s3, key, upload.uploadId)
    if (upload === undefined || upload.isRepeated) await abortUploads(s3, key)
  }

  return {
    async add(chunk) {
      if (failure !== undefined) throw failure
      for (let rest = chunk; rest.length > 0; ) {
        // Not before a byte follows it: what fits into one part is not sent in parts.
        if (size === partStart + partBytes) queuePart()
        const piece = rest.subarray(0, partStart + partBytes - size)
        md5.update(piece)
        size += piece.length
        rest = rest.subarray(piece.length)
      }
    },

    reader: () => readerOf(file, size),

    async complete(sha256) {
      isCompleting = true
      await (begun === undefined ? putWhole(sha256) : completeParts())
    },

    async drop() {
      await sending.catch(() => {})
      if (begun !== undefined) await abortParts(begun).catch(() => {})
      // S3 may have done what it did not say.
      if (isCompleting && !target.isShared) await removeObject(s3, key).catch(() => {})
    },
  }
}

export interface BegunUpload {
  uploadId: string
  /** S3 was asked more than once, so there may be others of the same key. */
  isRepeated: boolean
}

export async function beginUpload({ s3, key, encryption }: UploadTarget): Promise<BegunUpload> {
  const command = { Bucket: s3.address.bucket, Key: key, ...encrypted(encryption) }
  let tried = 0
  const begin = (http: { abortSignal: AbortSignal }) => {
    tried += 1
    return s3.client.send(new CreateMultipartUploadCommand(command), http)
  }
  const { UploadId } = await s3.call('CreateMultipartUpload', begin, { bytes: 0 })
  if (UploadId === undefined) throw new S3Fault('CreateMultipartUpload: S3 gave no UploadId', 'NoUploadId')
  return { uploadId: UploadId, isRepeated: tried > 1 }
}

/** Rejects when S3 says that these are not the bytes that it got. */
export function putObject(
  { s3, key, encryption }: UploadTarget,
  content: { Body: Buffer | Readable; ContentMD5: string; ContentLength: number; sha256: string },
  http: { abortSignal: AbortSignal },
) {
  const { sha256, ...body } = content
  const command = { Bucket: s3.address.bucket, Key: key, ...body, ...encrypted(encryption) }
  return s3.client.send(new PutObjectCommand({ ...command, Metadata: { sha256 } }), http)
}

function encrypted(encryption: S3Encryption | undefined) {
  if (encryption === undefined) return {}
  const { kind: ServerSideEncryption } = encryption
  return encryption.kind === 'AES256' || encryption.keyId === undefined
    ? { ServerSideEncryption }
    : { ServerSideEncryption, SSEKMSKeyId: encryption.keyId }
}

/** A stream over a piece of the file, for one attempt. It has let go of the file when this returns. */
async function withPiece<T>(
  handle: FileHandle,
  start: number,
  end: number,
  send: (body: Readable) => Promise<T>,
): Promise<T> {
  const lost = Promise.withResolvers<never>()
  async function* pieces(): AsyncGenerator<Uint8Array> {
    const reader = readerOf(handle, end)
    try {
      for (let at = start; at < end; at += readBytes) {
        const piece = await reader.read(at, readBytes)
        if (piece.length < Math.min(readBytes, end - at)) throw new Error('it has become shorter')
        yield piece
      }
    } catch (error) {
      lost.reject(new S3Fault(`an upload under way cannot be read again (${reasonOf(error)})`, 'Spool'))
      throw error
    }
  }
  const body = Readable.from(pieces(), { objectMode: false })
  const closed = finished(body).catch(() => {})
  try {
    // The SDK does not look whether its body breaks, and would wait for the rest.
    return await Promise.race([send(body), lost.promise])
  } finally {
    body.destroy()
    await closed
  }
}
