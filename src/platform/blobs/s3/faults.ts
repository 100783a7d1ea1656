import type { S3Address } from '../../core/addresses/s3-address.ts'
import { reasonOf } from '../../core/reason.ts'

/** A failure of S3 or the network, with advice for the operator. It replaces the SDK's error. */
export class S3Fault extends Error {
  override readonly name = 'S3Fault'
  /** An error code of S3, such as `SlowDown`, or of the network. */
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

/** Codes that do not depend on the request, whatever their status. */
const passingCodes = new Set([
  'BadDigest',
  'IncompleteBody',
  'OperationAborted',
  'RequestTimeout',
  // The SDK has corrected its clock from the response.
  'RequestTimeTooSkewed',
  'SlowDown',
  'XAmzContentSHA256Mismatch',
])

/** Whether the same request may succeed a moment later. */
export function isPassing(error: unknown): boolean {
  const { name = '', code } = error as SdkError
  const status = statusOf(error)
  if (passingCodes.has(name)) return true
  // No response: network errors have a code, and the SDK's timeouts have this name.
  if (status === undefined)
    return name === 'TimeoutError' || (typeof code === 'string' && name !== 'AbortError')
  // A successful response that cannot be parsed was truncated.
  return status < 300 || status === 408 || status === 429 || (status >= 500 && status !== 501)
}

/** Whether no connection was made, or none was free, in time. The SDK has no code for this. */
export function isWithoutConnection(error: unknown): boolean {
  const { name, code } = error as SdkError
  return name === 'TimeoutError' && code === undefined && statusOf(error) === undefined
}

export function usedUp(operation: string, connections: number): S3Fault {
  const words = `all ${connections} connections to S3 are in use: see who downloads so slowly, or raise BLOBS_SOCKETS`
  return new S3Fault(`${operation}: ${words}`, 'NoFreeConnection')
}

/** Whether the object or upload does not exist. A missing bucket is a different error. */
export function isMissing(error: unknown): boolean {
  return error instanceof S3Fault && error.status === 404 && error.code !== 'NoSuchBucket'
}

/** Whether an object of this name differs from the stored one. */
export function isNotAsStored(error: unknown): boolean {
  return error instanceof S3Fault && error.code === 'NotAsStored'
}

/** Whether the server does not support this operation. */
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
  const label = typeof code === 'string' && status === undefined ? code : name
  const reason = `${operation}: ${[label, status].filter(Boolean).join(' ')}: ${reasonOf(error)}`
  const advice = adviceFor(error, operation, address)
  return new S3Fault(advice === undefined ? reason : `${advice} (${reason})`, label, status)
}

function adviceFor(error: unknown, operation: string, address: S3Address): string | undefined {
  const { bucket, endpoint = 'the endpoint of the region', setting = 'BLOBS_URL' } = address
  const { name, message = '' } = error as SdkError
  const status = statusOf(error)
  if (message === 'Region is missing') return `no region is known: set region= in ${setting}, or AWS_REGION`
  if (name === 'CredentialsProviderError')
    return 'the AWS SDK finds no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role'
  if (name === 'RequestTimeTooSkewed') return 'the clock of this machine is wrong: synchronise it'
  if (['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'ExpiredToken', 'InvalidToken'].includes(name ?? ''))
    return 'S3 does not accept the credentials: check which ones the AWS SDK finds'
  if (['PermanentRedirect', 'AuthorizationHeaderMalformed'].includes(name ?? '') || status === 301)
    return `the bucket "${bucket}" is in another region: set region= in ${setting}`
  if (name === 'NoSuchBucket' || (operation === 'HeadBucket' && status === 404))
    return `there is no bucket "${bucket}" at ${endpoint}: create it, or correct ${setting}`
  if (status === 403)
    return `the credentials lack a permission: allow ${permissions[operation] ?? 's3:PutObject'} on the bucket "${bucket}"`
  if (status === undefined) return `${endpoint} does not answer: check ${setting}, and that S3 is up`
  return undefined
}
