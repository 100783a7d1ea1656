import { Agent as HttpAgent } from 'node:http'
import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import type { S3Address } from '../../../core/addresses/s3-address.ts'
import { steadyClock } from '../../../core/clock.ts'
import { faultOf, isMissing, isPassing, isWithoutConnection, usedUp } from './faults.ts'

export interface S3CallReport {
  /** As S3 calls it, such as `PutObject`. */
  operation: string
  /** `retried`: it has failed and is tried again, which is reported anew. */
  outcome: 'ok' | 'missing' | 'retried' | 'failed'
  seconds: number
}

export interface S3CallLimits {
  blobConnectMs: number
  blobAnswerMs: number
  blobSilentMs: number
  blobPartBytes: number
  blobAttempts: number
  blobRetryMs: number
  blobFirstPauseMs: number
  blobSockets: number
}

export interface CallOptions {
  /** Ends the call, and its repetitions. */
  signal?: AbortSignal
  /** How often it is tried at most. */
  attempts?: number
  /** How much content it sends, which decides how long it may take. What says nothing about that has the longest time. */
  bytes?: number
}

/** The way to S3: every call goes through it, is tried again when it failed in passing, and is reported. */
export interface S3Calls {
  client: S3Client
  /** Has connections of its own: readers hold them as long as they like, and nothing else shall wait behind them. */
  downloads: S3Client
  address: S3Address
  /**
   * `attempt` begins anew each time, with streams of its own, and has to be done within blobAnswerMs, or sooner when it sends
   * less than a part; what it returns may be a stream that takes longer. Rejects with an S3Fault, or with why `signal` ended it.
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
  limits: S3CallLimits,
  onCall: (report: S3CallReport) => void,
): S3Calls {
  const { endpoint, region, isPathStyle } = address
  const agentOptions = { keepAlive: true, maxSockets: limits.blobSockets }
  const newAgent = () =>
    endpoint?.startsWith('http:') ? new HttpAgent(agentOptions) : new Agent(agentOptions)
  const agents = { downloads: newAgent(), others: newAgent() }
  const options: S3ClientConfig = {
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    forcePathStyle: isPathStyle,
    // Checksums of newer kinds are not known everywhere. What goes out has its MD5, what comes in is compared by us.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    // We try again by ourselves: a body that is a stream can be sent only once.
    maxAttempts: 1,
    // By itself it prints warnings behind our back.
    logger: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  }
  const clientWith = (agent: HttpAgent) =>
    new S3Client({
      ...options,
      requestHandler: {
        httpAgent: agent,
        httpsAgent: agent as Agent,
        connectionTimeout: limits.blobConnectMs,
        // How long an answer takes is for `call` to watch: the SDK stops when the first byte is there.
        requestTimeout: 0,
        // A reader who takes his time is no fault of S3; whoever reads looks for stalls by himself.
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
    { signal, attempts = limits.blobAttempts, bytes = limits.blobPartBytes }: CallOptions = {},
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
        // The SDK does not stop for everything: it may wait for credentials, too.
        const answer = await unlessAborted(attempt({ abortSignal }), abortSignal)
        report('ok')
        return answer
      } catch (error) {
        // S3 may refuse before it has read all of the body: what is left of the request holds a connection.
        ended.abort()
        signal?.throwIfAborted()
        const isFull = isWithoutConnection(error) && isUsedUp(operation)
        const fault = isFull ? usedUp(operation, limits.blobSockets) : faultOf(error, operation, address)
        const hasTime = tried < attempts && steadyClock() - begunAt < limits.blobRetryMs
        // Whoever has waited for a connection has waited long enough.
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

/** A store that says nothing is given up sooner the less it had to take. */
function answerMsFor(bytes: number, { blobAnswerMs, blobSilentMs, blobPartBytes }: S3CallLimits): number {
  const silentMs = Math.min(blobSilentMs, blobAnswerMs)
  return Math.ceil(silentMs + (blobAnswerMs - silentMs) * Math.min(1, bytes / blobPartBytes))
}

/** Rejects with the reason of the signal as soon as there is one, whatever becomes of the work. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', onAbort))
}
