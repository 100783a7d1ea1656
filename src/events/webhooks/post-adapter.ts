import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher, ProxyAgent } from 'undici'
import {
  type AllowedHosts,
  addressLiteral,
  mayConnect,
  vetAddresses,
} from '../../platform/core/addresses/public-addresses.ts'
import type { Clock } from '../../platform/core/clock.ts'
import type { AttemptOutcome, AttemptResult, ResolveName, WebhookPost, WebhookRequest } from './ports.ts'
import { webhookAttemptSeconds } from './schedule-rules.ts'

/** Limit: Time to connect to the receiver of a webhook. */
const webhookConnectMs = 5_000
/** Limit: How long a connection to a receiver is used; its address is judged for each new connection. */
const webhookConnectionSeconds = 60
/** Limit: Bytes read of the response to a webhook; the rest is discarded. */
const webhookAnswerBytes = 4 * 1024
/** Limit: Bytes of the response to a failed webhook that an endpoint's log shows, if it is text. */
const webhookAnswerKept = 512

class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED'
}

/** Sends webhooks through undici, to vetted addresses only. */
export function createWebhookPost(deps: {
  allowed(): AllowedHosts
  /** A proxy that judges addresses itself. */
  proxyUrl?: string | undefined
  clock: Clock
  attemptSeconds?: number | undefined
  resolve: ResolveName
}): WebhookPost {
  const { allowed, proxyUrl, clock, attemptSeconds = webhookAttemptSeconds, resolve } = deps
  const deadlineMs = attemptSeconds * 1000

  /** The socket connects to an address that was judged here: the name is not resolved a second time. */
  const vettedLookup: LookupFunction = (name, options, callback) => {
    resolve(name).then(
      found => {
        const wanted = found.filter(({ family }) => !options.family || family === options.family)
        const [first] = vetAddresses(name, found, allowed()) === undefined ? [] : wanted
        if (first === undefined) callback(new AddressRefused('not a public address'), '', 4)
        else if (options.all) callback(null, wanted)
        else callback(null, first.address, first.family)
      },
      error => callback(error, '', 4),
    )
  }

  const common = {
    // The deadline of the attempt covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
    clientTtl: webhookConnectionSeconds * 1000,
    pipelining: 1,
  }
  const dispatcher: Dispatcher =
    proxyUrl === undefined
      ? new Agent({ ...common, connect: { lookup: vettedLookup, timeout: webhookConnectMs } })
      : new ProxyAgent({ ...common, uri: proxyUrl, connectTimeout: webhookConnectMs })

  /**
   * Sends a request and reads the beginning of its response, with one deadline that starts with the look-up of the
   * name. undici's `request` would create a stream and two signals for each, which cost as much as the rest.
   */
  function exchange(url: URL, { headers, body, signal: cut }: WebhookRequest): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const chunks: Buffer[] = []
    let size = 0
    let head: Omit<Answer, 'start'> | undefined
    let controller: Dispatcher.DispatchController | undefined
    let isOver = false

    /** The status determines the outcome; an error in the rest of the response does not. */
    function end(error: Error): void {
      isOver = true
      clearTimeout(timer)
      cut?.removeEventListener('abort', onCut)
      if (head === undefined) reject(error)
      else resolve({ ...head, start: Buffer.concat(chunks).subarray(0, webhookAnswerBytes) })
    }
    /** The rest is not read, and the connection is closed. */
    function stop(error: Error): void {
      end(error)
      controller?.abort(error)
    }
    function onLate(): void {
      if (head !== undefined && !isAccepted(head.status)) head = undefined
      stop(new DOMException('no answer in time', 'TimeoutError'))
    }
    const onCut = () => stop(new Error('the process is stopping'))
    const timer = setTimeout(onLate, deadlineMs)
    cut?.addEventListener('abort', onCut)
    if (cut?.aborted) onCut()
    else
      dispatcher.dispatch(
        { origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body },
        {
          onRequestStart(begun) {
            controller = begun
            // The deadline passed before there was a connection: send nothing.
            if (isOver) begun.abort(new Error('over'))
          },
          onResponseStart(_controller, status, answered) {
            // Lower statuses are informational and precede the response.
            if (status >= 200) head = { status, headers: answered }
          },
          onResponseData(_controller, chunk) {
            chunks.push(chunk)
            size += chunk.length
            if (size >= webhookAnswerBytes) stop(new Error('enough was read'))
          },
          onResponseEnd: () => end(new Error('no status')),
          onResponseError: (_controller, error) => end(error),
        },
      )
    return promise
  }

  async function attempt(url: URL, sent: WebhookRequest): Promise<Omit<AttemptResult, 'ms'>> {
    const { status, headers, start } = await exchange(url, sent)
    const retryAfterMs = readRetryAfter(header(headers, 'retry-after'), clock())
    const date = Date.parse(header(headers, 'date') ?? '')
    return {
      outcome: isAccepted(status) ? 'accepted' : 'refused',
      status,
      answer: isAccepted(status) ? null : readAnswer(headers, start.subarray(0, webhookAnswerKept)),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(Number.isNaN(date) ? {} : { skewMs: skewOf(date, clock()) }),
    }
  }

  return {
    async send(sent) {
      const startedAt = performance.now()
      const ms = () => Math.round(performance.now() - startedAt)
      const failed = (outcome: AttemptOutcome) => ({ outcome, status: null, answer: null, ms: ms() })
      try {
        const url = new URL(sent.url)
        // No name is looked up for a literal address, so it must be judged here.
        const literal = proxyUrl === undefined ? addressLiteral(url.hostname) : undefined
        if (literal !== undefined && !mayConnect(url.hostname, literal, allowed())) return failed('address')
        return { ...(await attempt(url, sent)), ms: ms() }
      } catch (error) {
        return failed(outcomeOf(error))
      }
    },
    close: () => dispatcher.destroy(),
  }
}

type Headers = Dispatcher.ResponseData['headers']

/** The part of a response that is read. */
interface Answer {
  status: number
  headers: Headers
  /** The first bytes of its body. */
  start: Buffer
}

const isAccepted = (status: number) => status >= 200 && status < 300

const header = (headers: Headers, name: string) => {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Only text is kept: it helps the endpoint's owner, and has no control characters. */
function readAnswer(headers: Headers, bytes: Buffer): string | null {
  const type = header(headers, 'content-type') ?? ''
  if (!/^(text\/|application\/([a-z.+-]*\+)?(json|xml)\b)/i.test(type)) return null
  const text = bytes.toString('utf8').replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD]+/gu, ' ')
  return text.trim() === '' ? null : text.trim()
}

function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(at - now, 0)
}

/** The header has whole seconds, so less than one counts as no difference. */
function skewOf(date: number, now: number): number {
  const skew = date - now
  return skew > 0 ? skew : Math.min(skew + 1000, 0)
}

/** Error codes of system calls, undici and OpenSSL. */
const outcomesOfCodes: [codes: RegExp, outcome: AttemptOutcome][] = [
  [/^ADDRESS_REFUSED$/, 'address'],
  [/^(NAME_UNRESOLVED$|ENOTFOUND|EAI_)/, 'dns'],
  [/^(UND_ERR_.*TIMEOUT|ETIMEDOUT$)/, 'timeout'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EHOSTDOWN)$/, 'connect'],
  [/CERT|^(ERR_TLS|ERR_SSL|EPROTO|UNABLE_TO_|HOSTNAME_MISMATCH)/, 'tls'],
]

function outcomeOf(error: unknown): AttemptOutcome {
  const { name, code, errors } = error as { name?: string; code?: unknown; errors?: readonly unknown[] }
  if (name === 'TimeoutError') return 'timeout'
  // One error per address tried.
  if (typeof code !== 'string' && errors?.[0] !== undefined) return outcomeOf(errors[0])
  return outcomesOfCodes.find(([codes]) => codes.test(String(code)))?.[1] ?? 'cut'
}
