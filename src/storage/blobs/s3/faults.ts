import type { S3Address } from '../../../core/addresses/s3-address.ts'
import { reasonOf } from '../../../core/reason.ts'

/** What S3 or the way to it has refused, in words that an operator can act on. It replaces the error of the SDK. */
export class S3Fault extends Error {
  override readonly name = 'S3Fault'
  /** The code of S3, such as `SlowDown`, or that of the network. */
  readonly code: string
  readonly status: number | undefined

  constructor(message: string, code: string, status?: number) {
    super(message)
    this.code = code
    this.status = status
  }
}

interface SdkError {
  name?: string
  code?: unknown
  message?: string
  $metadata?: { httpStatusCode?: number }
}

const statusOf = (error: unknown) => (error as SdkError).$metadata?.httpStatusCode

/** Refusals that are not about what was asked, whatever their status. */
const passingCodes = new Set([
  'BadDigest',
  'IncompleteBody',
  'OperationAborted',
  'RequestTimeout',
  // The SDK has set its clock by the refusal.
  'RequestTimeTooSkewed',
  'SlowDown',
  'XAmzContentSHA256Mismatch',
])

/** Would the same request do, a moment later? */
export function isPassing(error: unknown): boolean {
  const { name = '', code } = error as SdkError
  const status = statusOf(error)
  if (passingCodes.has(name)) return true
  // No answer at all: the network's errors have a code, and those of the SDK about time have this name.
  if (status === undefined)
    return name === 'TimeoutError' || (typeof code === 'string' && name !== 'AbortError')
  // An answer that says yes and cannot be read has been cut on its way.
  return status < 300 || status === 408 || status === 429 || (status >= 500 && status !== 501)
}

/** No connection came to be in time, whether to S3 or from those that we may have. The SDK has no code for it. */
export function isWithoutConnection(error: unknown): boolean {
  const { name, code } = error as SdkError
  return name === 'TimeoutError' && code === undefined && statusOf(error) === undefined
}

export function usedUp(operation: string, connections: number): S3Fault {
  const words = `all ${connections} connections to S3 are in use: see who downloads so slowly, or raise BLOBS_SOCKETS`
  return new S3Fault(`${operation}: ${words}`, 'NoFreeConnection')
}

/** Such a thing is not there. A bucket that is not there is another matter. */
export function isMissing(error: unknown): boolean {
  return error instanceof S3Fault && error.status === 404 && error.code !== 'NoSuchBucket'
}

/** There is something of this name that is not what was stored. */
export function isNotAsStored(error: unknown): boolean {
  return error instanceof S3Fault && error.code === 'NotAsStored'
}

/** The server does not know this call. */
export function isUnknownCall(error: unknown): boolean {
  return error instanceof S3Fault && (error.status === 405 || error.status === 501)
}

const permissions: Record<string, string> = {
  HeadBucket: 's3:ListBucket',
  ListObjectsV2: 's3:ListBucket',
  ListMultipartUploads: 's3:ListBucketMultipartUploads',
  GetObject: 's3:GetObject',
  HeadObject: 's3:GetObject',
  DeleteObject: 's3:DeleteObject',
  AbortMultipartUpload: 's3:AbortMultipartUpload',
}

export function faultOf(error: unknown, operation: string, address: S3Address): S3Fault {
  if (error instanceof S3Fault) return error
  const { name = 'Error', code } = error as SdkError
  const status = statusOf(error)
  const told = typeof code === 'string' && status === undefined ? code : name
  const reason = `${operation}: ${[told, status].filter(Boolean).join(' ')}: ${reasonOf(error)}`
  const advice = adviceFor(error, operation, address)
  return new S3Fault(advice === undefined ? reason : `${advice} (${reason})`, told, status)
}

function adviceFor(error: unknown, operation: string, address: S3Address): string | undefined {
  const { bucket, endpoint = 'the endpoint of the region' } = address
  const { name, message = '' } = error as SdkError
  const status = statusOf(error)
  if (message === 'Region is missing') return 'no region is known: set region= in BLOBS_URL, or AWS_REGION'
  if (name === 'CredentialsProviderError')
    return 'the AWS SDK finds no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role'
  if (name === 'RequestTimeTooSkewed') return 'the clock of this machine is wrong: synchronise it'
  if (['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'ExpiredToken', 'InvalidToken'].includes(name ?? ''))
    return 'S3 does not accept the credentials: see which ones the AWS SDK finds'
  if (['PermanentRedirect', 'AuthorizationHeaderMalformed'].includes(name ?? '') || status === 301)
    return `the bucket "${bucket}" is in another region: set region= in BLOBS_URL`
  if (name === 'NoSuchBucket' || (operation === 'HeadBucket' && status === 404))
    return `there is no bucket "${bucket}" at ${endpoint}: make it, or mend BLOBS_URL`
  if (status === 403)
    return `the credentials may not do this: allow ${permissions[operation] ?? 's3:PutObject'} on the bucket "${bucket}"`
  if (status === undefined)
    return `${endpoint} does not answer: see that BLOBS_URL is right and that S3 is up`
  return undefined
}
