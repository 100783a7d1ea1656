import { Agent as HttpAgent } from 'node:http'
import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import type { S3Address } from '../../core/addresses/s3-address.ts'
import { steadyClock } from '../../core/clock.ts'
import { faultOf, isMissing, isPassing, isWithoutConnection, usedUp } from './faults.ts'

/** Limit: How long to wait for a connection to S3, including the wait for a free one of BLOBS_SOCKETS. */
export const blobConnectMs = 5_000
/**
 * Limit: How long S3 may take to answer a call without content, such as the start of a download. It is tried twice
 * within BLOBS_RETRY_MS, so a store that accepts connections but stays silent is abandoned after 20 seconds.
 */
const blobSilentMs = 10_000
/**
 * Limit: The longest first pause before a retry of S3, doubled each time; the actual pause is a random part of it, so
 * that nodes do not retry at the same moment.
 */
export const blobFirstPauseMs = 200
/** Limit: Size of a part of a multipart upload: the minimum of S3. Files up to this size are sent in one request. */
export const blobPartBytes = 5 * 1024 * 1024

export interface S3CallReport {
  /** The S3 operation, such as `PutObject`. */
  operation: string
  /** `retried`: the attempt failed and another one follows, with its own report. */
  outcome: 'ok' | 'missing' | 'retried' | 'failed'
  seconds: number
}

const bounds = { blobConnectMs, blobSilentMs, blobFirstPauseMs }

export interface S3CallLimits extends Partial<typeof bounds> {
  blobAnswerMs: number
  blobAttempts: number
  blobRetryMs: number
  blobSockets: number
}

export interface CallOptions {
  /** Aborts the call and its retries. */
  signal?: AbortSignal
  /** Maximum number of attempts. */
  attempts?: number
  /** Number of bytes sent, which determines how long the call may take. Without it, the longest time applies. */
  bytes?: number
}

/** Makes every call to S3, retries transient failures, and reports each attempt. */
export interface S3Calls {
  client: S3Client
  /** Downloads have their own connections, because readers may hold them for long and must not block other calls. */
  downloads: S3Client
  address: S3Address
  /**
   * Each `attempt` starts from the beginning with its own streams and must finish within blobAnswerMs, or sooner if it
   * sends less than a part; it may return a stream that takes longer. Rejects with an S3Fault, or with the signal's reason.
   */
  call<T>(
    operation: string,
    attempt: (http: { abortSignal: AbortSignal }) => Promise<T>,
    options?: CallOptions,
  ): Promise<T>
  close(): void
}

const longestPauseMs = 2_000

export function createS3Calls(
  address: S3Address,
  changed: S3CallLimits,
  onCall: (report: S3CallReport) => void,
): S3Calls {
  const limits = { ...bounds, ...changed }
  const { endpoint, region, isPathStyle } = address
  const agentOptions = { keepAlive: true, maxSockets: limits.blobSockets }
  const newAgent = () =>
    endpoint?.startsWith('http:') ? new HttpAgent(agentOptions) : new Agent(agentOptions)
  const agents = { downloads: newAgent(), others: newAgent() }
  const options: S3ClientConfig = {
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    forcePathStyle: isPathStyle,
    // Some servers do not support the newer checksums. Uploads include their MD5, and we compare downloads ourselves.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    // We retry ourselves: a streamed body can be sent only once.
    maxAttempts: 1,
    // Otherwise the SDK prints warnings itself.
    logger: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  }
  const clientWith = (agent: HttpAgent) =>
    new S3Client({
      ...options,
      requestHandler: {
        httpAgent: agent,
        httpsAgent: agent as Agent,
        connectionTimeout: limits.blobConnectMs,
        // `call` limits the time of a response: the SDK only limits the time to its first byte.
        requestTimeout: 0,
        // A slow reader is not S3's fault; downloads detect stalls themselves.
        socketTimeout: 0,
      },
    })
  const [client, downloads] = [clientWith(agents.others), clientWith(agents.downloads)]

  const isUsedUp = (operation: string) =>
    Object.values(agents[operation === 'GetObject' ? 'downloads' : 'others'].sockets).some(
      sockets => (sockets?.length ?? 0) >= limits.blobSockets,
    )

  async function call<T>(
    operation: string,
    attempt: (http: { abortSignal: AbortSignal }) => Promise<T>,
    { signal, attempts = limits.blobAttempts, bytes = blobPartBytes }: CallOptions = {},
  ): Promise<T> {
    const begunAt = steadyClock()
    const answerMs = answerMsFor(bytes, limits)
    for (let tried = 1; ; tried++) {
      const triedAt = steadyClock()
      const report = (outcome: S3CallReport['outcome']) =>
        onCall({ operation, outcome, seconds: (steadyClock() - triedAt) / 1000 })
      const ended = new AbortController()
      const late = new DOMException(`no whole answer within ${answerMs} ms`, 'TimeoutError')
      const timer = setTimeout(() => ended.abort(late), answerMs)
      try {
        signal?.throwIfAborted()
        const abortSignal = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal])
        // The SDK does not always honour the signal, for instance while it waits for credentials.
        const answer = await unlessAborted(attempt({ abortSignal }), abortSignal)
        report('ok')
        return answer
      } catch (error) {
        // S3 may reject a request before it has read the body: the rest would keep the connection busy.
        ended.abort()
        signal?.throwIfAborted()
        const isFull = isWithoutConnection(error) && isUsedUp(operation)
        const fault = isFull ? usedUp(operation, limits.blobSockets) : faultOf(error, operation, address)
        const hasTime = tried < attempts && steadyClock() - begunAt < limits.blobRetryMs
        // A call that has already waited for a connection is not retried.
        const isTried = hasTime && !isFull && isPassing(error)
        report(isTried ? 'retried' : isMissing(fault) ? 'missing' : 'failed')
        if (!isTried) throw fault
      } finally {
        clearTimeout(timer)
      }
      const longest = Math.min(limits.blobFirstPauseMs * 2 ** (tried - 1), longestPauseMs)
      await sleep(Math.random() * longest, undefined, signal === undefined ? {} : { signal })
    }
  }

  function close(): void {
    client.destroy()
    downloads.destroy()
  }

  return { client, downloads, address, call, close }
}

/** The less a call sends, the sooner a silent store is abandoned. */
function answerMsFor(bytes: number, { blobAnswerMs, blobSilentMs }: Required<S3CallLimits>): number {
  const silentMs = Math.min(blobSilentMs, blobAnswerMs)
  return Math.ceil(silentMs + (blobAnswerMs - silentMs) * Math.min(1, bytes / blobPartBytes))
}

/** Rejects with the signal's reason as soon as it is aborted, whatever happens to the work. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', onAbort))
}
