import { pause, within } from './abort.ts'
import { DossierError, errorOf } from './errors.ts'

/** Told before each retry. */
export interface Retry {
  error: DossierError
  /** Failures in a row so far. */
  failures: number
  /** How long the failed attempt took. */
  elapsedMs: number
  pauseMs: number
}

/** The value of the Authorization header; `forget` makes the next one a new one, if that can help. */
export interface Authorization {
  get(signal: AbortSignal | undefined): Promise<string>
  forget?(value: string): void
}

export interface Call {
  path: string | (() => string)
  method?: 'GET' | 'POST' | 'PUT'
  /** Asked for each attempt. */
  headers?: () => Record<string, string>
  body?: string | FormData | URLSearchParams
  authorization?: Authorization
  signal?: AbortSignal | undefined
  /** False if the service must not get it twice: then it is repeated only if the service says that it did nothing. */
  isRepeatable?: boolean
  tries?: number
  timeoutMs?: number
  onRetry?: ((retry: Retry) => void) | undefined
}

export type Reader<T> = (response: Response) => Promise<T>

const longestRetryAfterMs = 60_000
const longestBackoffMs = 30_000

/** Sends requests, and repeats those that failed temporarily. */
export class Transport {
  readonly #baseUrl: string
  readonly #fetch: typeof fetch
  readonly #onRetry: ((retry: Retry) => void) | undefined

  constructor(
    baseUrl: string,
    fetchWith: typeof fetch | undefined,
    onRetry: ((retry: Retry) => void) | undefined,
  ) {
    this.#baseUrl = baseUrl.replace(/\/+$/, '')
    this.#fetch = fetchWith ?? ((input, init) => fetch(input, init))
    this.#onRetry = onRetry
  }

  /** The result of `read`, which is part of the attempt: a connection may break in the middle of a body. */
  async send<T>(call: Call, read: Reader<T>): Promise<T> {
    const { authorization, signal, tries = 5 } = call
    let isRenewed = false
    for (let failures = 0; ; ) {
      const startedAt = performance.now()
      let credential: string | undefined
      try {
        credential = await authorization?.get(signal)
        return await this.#attempt(call, credential, read)
      } catch (error) {
        if (!(error instanceof DossierError)) throw error
        if (error.status === 401 && !isRenewed && authorization?.forget && credential !== undefined) {
          isRenewed = true
          authorization.forget(credential)
          continue
        }
        failures += 1
        if (failures >= tries || !isTemporary(error, call.isRepeatable ?? true)) throw error
        const retry = {
          error,
          failures,
          elapsedMs: performance.now() - startedAt,
          pauseMs: pauseAfter(error, failures),
        }
        call.onRetry?.(retry)
        this.#onRetry?.(retry)
        await pause(retry.pauseMs, signal)
      }
    }
  }

  json<T>(call: Call): Promise<T> {
    return this.send(call, response => jsonOf<T>(response))
  }

  async #attempt<T>(call: Call, credential: string | undefined, read: Reader<T>): Promise<T> {
    const { path, method = 'GET', body, signal, timeoutMs = 60_000 } = call
    const headers = { accept: 'application/json', ...call.headers?.() }
    try {
      return await within(timeoutMs, signal, async (signal): Promise<T> => {
        const response = await this.#fetch(this.#baseUrl + (typeof path === 'string' ? path : path()), {
          method,
          headers: credential === undefined ? headers : { ...headers, authorization: credential },
          signal,
          redirect: 'manual',
          ...(body === undefined ? {} : { body }),
        })
        if (response.status === 302) return await read(await this.#handedOver(response, signal))
        if (!response.ok) throw await errorOf(response)
        return await read(response)
      })
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof DossierError) throw error
      throw new DossierError('network', `no complete response: ${reasonOf(error)}`, { cause: error })
    }
  }

  /** A download from the operator's file store. It gets no credential, and its ETag is the one that the service gave. */
  async #handedOver(response: Response, signal: AbortSignal): Promise<Response> {
    const { headers, body } = response
    await body?.cancel()
    const file = await this.#fetch(headers.get('location') ?? '', { signal })
    if (!file.ok) throw await errorOf(file)
    const known = new Headers(file.headers)
    known.set('etag', headers.get('etag') ?? '')
    return new Response(file.body, { status: 200, headers: known })
  }
}

export async function jsonOf<T>(response: Response): Promise<T> {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new DossierError('bad-response', 'the response is not JSON', { status: response.status, cause })
  }
}

/** What a later attempt may change. A file that waits for the scanner is left to the caller. */
function isTemporary({ code, status }: DossierError, isRepeatable: boolean): boolean {
  if (code === 'not-yet-scanned') return false
  if (code === 'idempotency-key-in-use' || status === 429) return true
  return (
    isRepeatable && (code === 'network' || code === 'bad-response' || status === 408 || Number(status) >= 500)
  )
}

function pauseAfter({ retryAfterSeconds }: DossierError, failures: number): number {
  const most = Math.min(longestBackoffMs, 500 * 2 ** failures)
  if (retryAfterSeconds === undefined) return Math.random() * most
  // A little later than told, so that callers who were told the same do not come back together.
  return Math.min(longestRetryAfterMs, retryAfterSeconds * 1000) + Math.random() * 250
}

/** fetch says only "fetch failed"; the reason is its cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { message?: string; code?: string }; message?: string }
  return cause?.message || cause?.code || message || String(error)
}
