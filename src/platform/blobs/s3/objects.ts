import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3'
import type { S3Calls } from './calls.ts'
import { isMissing, isUnknownCall } from './faults.ts'

/** Lists and removes objects and uploads. */

/** Has no effect if there is no such object. */
export async function removeObject({ client, address, call }: S3Calls, key: string): Promise<void> {
  const command = { Bucket: address.bucket, Key: key }
  const remove = (http: { abortSignal: AbortSignal }) => client.send(new DeleteObjectCommand(command), http)
  await unlessMissing(call('DeleteObject', remove, { bytes: 0 }))
}

/** The content of a small object; undefined if there is none. */
export async function readText({ client, address, call }: S3Calls, key: string): Promise<string | undefined> {
  const command = { Bucket: address.bucket, Key: key }
  try {
    return await call('GetObject', async http => {
      const { Body } = await client.send(new GetObjectCommand(command), http)
      return Body?.transformToString()
    })
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Has no effect if there is no such upload. */
export async function abortUpload(s3: S3Calls, key: string, uploadId: string): Promise<void> {
  const command = { Bucket: s3.address.bucket, Key: key, UploadId: uploadId }
  await unlessMissing(
    s3.call('AbortMultipartUpload', http => s3.client.send(new AbortMultipartUploadCommand(command), http), {
      bytes: 0,
    }),
  )
}

/** All incomplete multipart uploads whose keys have this prefix. */
export async function abortUploads(s3: S3Calls, prefix: string): Promise<void> {
  for await (const { key, uploadId } of openUploads(s3, prefix)) await abortUpload(s3, key, uploadId)
}

async function unlessMissing(call: Promise<unknown>): Promise<void> {
  await call.catch(error => {
    if (!isMissing(error)) throw error
  })
}

interface KeyQuery {
  prefix: string
  after: string
  max: number
}

/** Up to `max` keys with this prefix that come after `after`, in order. */
export async function listKeys(s3: S3Calls, query: KeyQuery): Promise<string[]> {
  return (await listObjects(s3, query)).map(({ key }) => key)
}

/** `listKeys` with sizes. */
export async function listObjects(
  { client, address, call }: S3Calls,
  { prefix, after, max }: KeyQuery,
): Promise<{ key: string; size: number }[]> {
  const start = after === '' ? {} : { StartAfter: after }
  const command = { Bucket: address.bucket, Prefix: prefix, MaxKeys: max, ...start }
  const { Contents = [] } = await call('ListObjectsV2', http =>
    client.send(new ListObjectsV2Command(command), http),
  )
  return Contents.flatMap(({ Key, Size = 0 }) => (Key === undefined ? [] : { key: Key, size: Size }))
}

/** Multipart uploads that were neither completed nor aborted. None if the server does not list them. */
export async function* openUploads(
  { client, address, call }: S3Calls,
  prefix: string,
): AsyncGenerator<{ key: string; uploadId: string }> {
  let next: { KeyMarker: string | undefined; UploadIdMarker: string | undefined } | undefined
  do {
    const command = { Bucket: address.bucket, Prefix: prefix, ...next }
    const page = await call('ListMultipartUploads', http =>
      client.send(new ListMultipartUploadsCommand(command), http),
    ).catch(error => {
      if (isUnknownCall(error)) return undefined
      throw error
    })
    for (const { Key, UploadId } of page?.Uploads ?? []) {
      if (Key !== undefined && UploadId !== undefined) yield { key: Key, uploadId: UploadId }
    }
    next = page?.IsTruncated
      ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
      : undefined
  } while (next !== undefined)
}
