import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { HandOverRequest } from '../../../files/ports.ts'
import type { S3Calls } from './calls.ts'
import { S3Fault } from './faults.ts'

/**
 * Makes a URL that works without credentials for a short time and answers with these headers. Checks first that the
 * object exists, so that the reader does not follow a dead link.
 */
export async function signDownload(
  { client, address, call }: S3Calls,
  { key, size }: { key: string; size: number },
  { contentType, contentDisposition, cacheControl }: HandOverRequest,
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
