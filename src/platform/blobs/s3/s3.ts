import { createHash, randomBytes } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { GetObjectCommand, HeadBucketCommand, HeadObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { S3Address, S3Encryption } from '../../core/addresses/s3-address.ts'
import type { Clock } from '../../core/clock.ts'
import { Problem } from '../../core/problems.ts'
import type { RandomReader } from '../../core/random-reader.ts'
import { isBlobFolder, newBlobName, ownerMark, smallBytes } from '../blob-names.ts'
import { FileLost, NotAsDescribed } from '../faults.ts'
import { isOutOfRoom, readerIn, readerOf, writeAll } from '../file-io.ts'
import type {
  BlobPlace,
  BlobStore,
  ByteRange,
  DelegatedDownload,
  DownloadRequest,
  KeptFile,
  StoredBlob,
} from '../ports.ts'
import { createSpool } from '../spool.ts'
import { dayOf } from '../upload-age.ts'
import {
  blobConnectMs,
  blobPartBytes,
  createS3Calls,
  type S3CallLimits,
  type S3CallReport,
  type S3Calls,
} from './calls.ts'
import { type DownloadLimits, openDownload } from './download.ts'
import { faultOf, isMissing, isNotAsStored, S3Fault } from './faults.ts'
import { abortUpload, abortUploads, listKeys, openUploads, readText, removeObject } from './objects.ts'
import { beginUpload, createLargeUpload, type LargeUpload, putObject, type UploadTarget } from './upload.ts'

/**
 * Limit: How long S3 may take to finish an upload after its last byte has arrived. Together with blobTakeBackMs it is
 * less than the minute after which a silent connection is closed, so the caller still receives the 503.
 */
const blobStoreMs = 50_000
/**
 * Limit: How long the response to a failed upload waits for S3 to remove the parts; after that the removal continues in
 * the background.
 */
const blobTakeBackMs = 5_000

export interface S3BlobOptions {
  address: S3Address
  encryption: S3Encryption | undefined
  /** Folder for large uploads in progress. */
  spoolFolder: string
  clock: Clock
  limits: S3CallLimits &
    DownloadLimits & {
      blobStoreMs?: number
      blobTakeBackMs?: number
      signedUrlSeconds: number
    }
  onCall(report: S3CallReport): void
}

export interface S3Blobs extends BlobStore {
  /**
   * Stores a file under the name that it has in the folder; rejects with NotAsDescribed if the content is different.
   * The file is sent from its own location, so it needs no disk space; the caller closes it. After a rejection the same
   * bytes may still exist in S3, because another node may have stored them too.
   */
  putAs(file: StoredBlob, content: FileHandle): Promise<void>
  /** A URL of the whole content that works for a short time without credentials. Rejects like `open`. */
  sign(file: KeptFile, headers: DownloadRequest): Promise<DelegatedDownload>
  /** Call once, before the first upload: see `createSpool`. */
  tidy(): Promise<void>
  close(): void
}

/** The maximum that S3 returns in one page. */
const pageSize = 1_000

type Check = (file: RandomReader) => Promise<void>

interface UploadOptions {
  check?: Check | undefined
  /** Hash of the expected content; other content is not stored. */
  sha256?: string
  /** A file that already has the content. Otherwise, large content is written to the spool. */
  kept?: FileHandle
}

/**
 * Stores files as objects in an S3-compatible store, named as in the folder store. It uses only operations that every
 * such server supports and writes each object only once. S3 verifies the MD5 of uploads, and we verify the SHA-256 of
 * downloads. While S3 is unavailable, callers get 503 and may retry.
 */
export function createS3Blobs(options: S3BlobOptions): S3Blobs {
  const { address, encryption, clock } = options
  const limits = { blobConnectMs, blobStoreMs, blobTakeBackMs, ...options.limits }
  const s3 = createS3Calls(address, limits, options.onCall)
  const spool = createSpool(options.spoolFolder)
  const keyOf = (blob: string) => address.prefix + blob
  const blobOf = (key: string) => key.slice(address.prefix.length)

  function unreadable(cause: unknown): Problem {
    const Kind = isMissing(cause) || isNotAsStored(cause) ? FileLost : Problem
    return new Kind('unavailable', 'The file cannot be read at present.', { cause })
  }

  const put = (content: AsyncIterable<Uint8Array>, check?: Check) =>
    upload({ s3, key: keyOf(newBlobName(clock())), encryption }, content, { check })

  async function putAs({ blob, sha256, size }: StoredBlob, content: FileHandle): Promise<void> {
    const target = { s3, key: keyOf(blob), encryption, isShared: true }
    await upload(target, chunksOf(content, size), { sha256, kept: content })
  }

  async function upload(
    target: UploadTarget,
    content: AsyncIterable<Uint8Array>,
    { check, sha256: expected, kept }: UploadOptions,
  ): Promise<StoredBlob> {
    const ended = new AbortController()
    const sha256 = createHash('sha256')
    const gathered: Uint8Array[] = []
    let size = 0
    let spooled: FileHandle | undefined
    let large: LargeUpload | undefined
    let timer: NodeJS.Timeout | undefined
    const add = async (to: LargeUpload, chunk: Uint8Array) => {
      if (spooled !== undefined) await writeAll(spooled, chunk)
      await to.add(chunk)
    }
    try {
      for await (const chunk of content) {
        sha256.update(chunk)
        size += chunk.length
        if (large !== undefined) {
          await add(large, chunk)
          continue
        }
        gathered.push(chunk)
        if (size <= smallBytes) continue
        if (kept === undefined) spooled = await spool.open()
        const file = (spooled ?? kept) as FileHandle
        large = createLargeUpload(target, file, blobPartBytes, ended.signal)
        await add(large, Buffer.concat(gathered.splice(0)))
      }
      const small = Buffer.concat(gathered)
      await check?.(large?.reader() ?? readerIn(small))
      const hash = sha256.digest('hex')
      if (expected !== undefined && hash !== expected)
        throw new NotAsDescribed(`${target.key} has another content`)
      const late = new S3Fault(`the upload did not end within ${limits.blobStoreMs} ms`, 'Late')
      timer = setTimeout(() => ended.abort(late), limits.blobStoreMs)
      await (large === undefined ? putSmall(target, small, hash, ended.signal) : large.complete(hash))
      return { blob: blobOf(target.key), sha256: hash, size }
    } catch (error) {
      ended.abort()
      if (large !== undefined) await briefly(large.drop())
      throw error instanceof S3Fault || isOutOfRoom(error)
        ? new Problem('unavailable', 'The file cannot be stored at present.', {
            cause: error,
          })
        : error
    } finally {
      clearTimeout(timer)
      await spooled?.close()
    }
  }

  /** Returns after a short time and leaves a slow removal to the background, so that the caller gets the error. */
  async function briefly(takenBack: Promise<void>): Promise<void> {
    await Promise.race([takenBack, sleep(limits.blobTakeBackMs, undefined, { ref: false })])
  }

  async function putSmall(
    target: UploadTarget,
    bytes: Buffer,
    sha256: string,
    signal?: AbortSignal,
  ): Promise<void> {
    const ContentMD5 = createHash('md5').update(bytes).digest('base64')
    const content = { Body: bytes, ContentLength: bytes.length, ContentMD5, sha256 }
    try {
      await s3.call('PutObject', http => putObject(target, content, http), {
        ...(signal === undefined ? {} : { signal }),
        bytes: bytes.length,
      })
    } catch (error) {
      // S3 may have stored it without answering. If it cannot be removed now, the sweep of its day finds it.
      if (!target.isShared) await briefly(removeObject(s3, target.key).catch(() => {}))
      throw error
    }
  }

  async function open({ blob, size, sha256 }: KeptFile, range?: ByteRange): Promise<Readable> {
    if (blob === null) throw unreadable(new Error('the content of this file was discarded'))
    const wanted = { key: keyOf(blob), size, sha256, range }
    return openDownload(s3, wanted, limits, unreadable).catch(error => {
      throw unreadable(error)
    })
  }

  /** Downloads the whole file, because callers mostly read all of it. */
  async function examine<T>(file: KeptFile, look: (content: RandomReader) => Promise<T>): Promise<T> {
    const content = await open(file)
    if (file.size <= smallBytes) return look(readerIn(await buffer(content)))
    const handle = await spool.open().catch(error => {
      content.destroy()
      throw error
    })
    try {
      for await (const chunk of content) await writeAll(handle, chunk)
      return await look(readerOf(handle, file.size))
    } finally {
      await handle.close()
    }
  }

  /** Makes one request per day instead of listing all keys: a day may have a hundred thousand. */
  async function daysOfObjects(after: string): Promise<string[]> {
    const found: string[] = []
    let last = after
    for (;;) {
      // In the order of keys, "0" follows "/": no key of the last day sorts after it.
      const query = { prefix: keyOf('2'), after: last === '' ? '' : keyOf(`${last}0`), max: 1 }
      const [key] = await listKeys(s3, query)
      if (key === undefined) return found
      const [first = ''] = blobOf(key).split('/')
      if (dayOf(blobOf(key)) !== undefined) found.push(first)
      last = first
    }
  }

  async function days(after: string): Promise<string[]> {
    const found = new Set(await daysOfObjects(after))
    for await (const { key } of openUploads(s3, address.prefix)) {
      const day = dayOf(blobOf(key))
      if (day !== undefined && day > after) found.add(day)
    }
    return [...found].toSorted()
  }

  async function* namesUnder(start: string): AsyncGenerator<string[]> {
    const prefix = keyOf(start)
    let last: string | undefined = prefix
    do {
      const keys: string[] = await listKeys(s3, { prefix, after: last, max: pageSize })
      if (keys.length > 0) yield keys.map(blobOf)
      last = keys.at(-1)
    } while (last !== undefined)
  }

  const place: BlobPlace = {
    name: `the bucket ${address.bucket}${address.prefix === '' ? '' : ` under ${address.prefix}`}`,
    owner: async () => (await readText(s3, keyOf(ownerMark)))?.trim() || undefined,
    setOwner: databaseId => putText(ownerMark, `${databaseId}\n`),
    async sample(most) {
      // Every object on a page may belong to another program: read on.
      for await (const names of namesUnder('')) {
        const blobs = names.filter(name => isBlobFolder(name.split('/', 1)[0] ?? ''))
        if (blobs.length > 0) return blobs.slice(0, most)
      }
      return []
    },
    notes: {
      read: name => readText(s3, keyOf(name)),
      write: putText,
      async list(start) {
        const found: string[] = []
        for await (const names of namesUnder(start)) found.push(...names)
        return found
      },
      remove: name => removeObject(s3, keyOf(name)),
    },
  }

  async function putText(name: string, text: string): Promise<void> {
    const bytes = Buffer.from(text)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    await putSmall({ s3, key: keyOf(name), encryption, isShared: true }, bytes, sha256)
  }

  /**
   * Checks that the bucket exists and accepts our credentials. One attempt, because the next check comes in a second.
   * It does not write: one object per second and node is thousands a day, and a store that rejects writes still serves
   * downloads.
   */
  async function check(): Promise<void> {
    const command = new HeadBucketCommand({ Bucket: address.bucket })
    const signal = AbortSignal.timeout(limits.blobConnectMs)
    try {
      await s3.call('HeadBucket', http => s3.client.send(command, http), { signal, attempts: 1 })
    } catch (error) {
      throw faultOf(error, 'HeadBucket', address)
    }
  }

  /** Tests each permission that we need; reports a missing one by name. */
  async function prove(): Promise<void> {
    const bytes = randomBytes(4_096)
    const key = keyOf(newBlobName(clock()))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    await putSmall({ s3, key, encryption }, bytes, sha256)
    try {
      await buffer(await openDownload(s3, { key, size: bytes.length, sha256, range: undefined }, limits))
      await listKeys(s3, { prefix: key, after: '', max: 1 })
      const { uploadId } = await beginUpload({ s3, key, encryption })
      await abortUpload(s3, key, uploadId)
      await abortUploads(s3, key)
    } finally {
      await removeObject(s3, key)
    }
  }

  async function sign({ blob, size }: KeptFile, headers: DownloadRequest): Promise<DelegatedDownload> {
    if (blob === null) throw unreadable(new Error('the content of this file was discarded'))
    try {
      return { url: await signDownload(s3, { key: keyOf(blob), size }, headers, limits.signedUrlSeconds) }
    } catch (error) {
      throw unreadable(error)
    }
  }

  return {
    places: [place],
    put,
    putAs,
    sign,
    open,
    examine,
    remove: blob => removeObject(s3, keyOf(blob)),
    days,
    uploadedOn: day => namesUnder(`${day}/`),
    tidyDay: day => abortUploads(s3, keyOf(`${day}/`)),
    check,
    prove,
    tidy: spool.tidy,
    close: s3.close,
  }
}

async function* chunksOf(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  const reader = readerOf(file, size)
  for (let at = 0; at < size; at += smallBytes) yield await reader.read(at, smallBytes)
}

/**
 * Makes a URL that works without credentials for a short time and answers with these headers. Checks first that the
 * object exists, so that the reader does not follow a broken link.
 */
async function signDownload(
  { client, address, call }: S3Calls,
  { key, size }: { key: string; size: number },
  { contentType, contentDisposition, cacheControl }: DownloadRequest,
  seconds: number,
): Promise<string> {
  const place = { Bucket: address.bucket, Key: key }
  const head = await call('HeadObject', http => client.send(new HeadObjectCommand(place), http))
  if (head.ContentLength !== size) {
    const words = `${key} has ${head.ContentLength} bytes instead of ${size}`
    throw new S3Fault(`HeadObject: ${words}`, 'NotAsStored')
  }
  const command = new GetObjectCommand({
    ...place,
    ResponseContentType: contentType,
    ResponseContentDisposition: contentDisposition,
    ResponseCacheControl: cacheControl,
  })
  return getSignedUrl(client, command, { expiresIn: seconds })
}
