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
import type { S3Encryption } from '../../core/addresses/s3-address.ts'
import type { RandomReader } from '../../core/random-reader.ts'
import { reasonOf } from '../../core/reason.ts'
import { readerOf } from '../file-io.ts'
import { type S3Calls, unlessAborted } from './calls.ts'
import { S3Fault } from './faults.ts'
import { abortUpload, abortUploads, removeObject } from './objects.ts'

export interface UploadTarget {
  s3: S3Calls
  key: string
  encryption: S3Encryption | undefined
  /** Other nodes may have stored the same bytes under this key: a failure must not delete them. */
  isShared?: boolean
}

/** Content that is too large for memory, sent from a file. */
export interface LargeUpload {
  /** Adds the next piece of the content, which is already in the file. */
  add(chunk: Uint8Array): Promise<void>
  /** Reads everything added. */
  reader(): RandomReader
  /** Resolves when S3 has all of the content. */
  complete(sha256: string): Promise<void>
  /** Removes the parts sent so far. Call after `signal` was aborted. */
  drop(): Promise<void>
}

interface Part {
  number: number
  start: number
  end: number
  md5: string
}

/** Small, because each upload in progress holds a few of these chunks. */
const readBytes = 64 * 1024

/**
 * Sends content that is larger than one part to S3 part by part, each as soon as it is complete, while the next one still
 * arrives. The parts become an object only with `complete`. `file` stays open until the caller closes it, and nothing is
 * sent after `signal` is aborted.
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

  /** Sends parts one after the other in the background; an error surfaces with the next chunk, or at the end. */
  function queuePart(): Promise<BegunUpload> {
    const part = {
      number: Math.floor(partStart / partBytes) + 1,
      start: partStart,
      end: size,
      md5: md5.digest('base64'),
    }
    partStart = size
    md5 = createHash('md5')
    // Do not abort it with the rest: only an upload whose ID is known can be removed.
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

  /** Whether the object exists although the response was lost. An object is either complete or absent. */
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

  /** Aborts the upload, which may have started even if its response was lost. */
  async function abortParts(begun: Promise<BegunUpload>): Promise<void> {
    const upload = await begun.catch(() => undefined)
    if (upload !== undefined) await abortUpload(s3, key, upload.uploadId)
    if (upload === undefined || upload.isRepeated) await abortUploads(s3, key)
  }

  return {
    async add(chunk) {
      if (failure !== undefined) throw failure
      for (let rest = chunk; rest.length > 0; ) {
        // Only once another byte follows: content that fits into one part is not sent in parts.
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
      // S3 may have completed it without answering.
      if (isCompleting && !target.isShared) await removeObject(s3, key).catch(() => {})
    },
  }
}

export interface BegunUpload {
  uploadId: string
  /** S3 received the request more than once, so there may be more uploads of the same key. */
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

/** Rejects if S3 received other bytes. */
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

/** Streams a piece of the file for one attempt, and no longer uses the file once this resolves. */
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
        if (piece.length < Math.min(readBytes, end - at)) throw new Error('the file has become shorter')
        yield piece
      }
    } catch (error) {
      lost.reject(new S3Fault(`an upload in progress cannot be read again (${reasonOf(error)})`, 'Spool'))
      throw error
    }
  }
  const body = Readable.from(pieces(), { objectMode: false })
  const closed = finished(body).catch(() => {})
  try {
    // The SDK does not notice if its body fails, and would wait for the rest.
    return await Promise.race([send(body), lost.promise])
  } finally {
    body.destroy()
    await closed
  }
}
