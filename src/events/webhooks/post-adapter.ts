import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher, ProxyAgent, request } from 'undici'
import {
  type AllowedHosts,
  addressLiteral,
  mayConnect,
  vetAddresses,
} from '../../core/addresses/public-addresses.ts'
import type { Clock } from '../../core/clock.ts'
import type { Limits } from '../../limits.ts'
import type { AttemptOutcome, AttemptResult, WebhookPost } from './ports.ts'

/** All addresses of a name. */
type Resolve = (name: string) => Promise<{ address: string; family: number }[]>

class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED'
}

/** Sends webhooks by undici, to vetted addresses only. */
export function createWebhookPost(deps: {
  allowed(): AllowedHosts
  /** A proxy that judges addresses itself. */
  proxyUrl?: string | undefined
  clock: Clock
  limits: Pick<
    Limits,
    | 'webhookAttemptSeconds'
    | 'webhookConnectMs'
    | 'webhookConnectionSeconds'
    | 'webhookAnswerBytes'
    | 'webhookAnswerKept'
  >
  resolve?: Resolve
}): WebhookPost {
  const { allowed, proxyUrl, clock, limits, resolve = name => lookup(name, { all: true }) } = deps
  const deadlineMs = limits.webhookAttemptSeconds * 1000

  /** The socket goes to an address that was judged here: the name is not resolved a second time. */
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
    // The deadline of the attempt covers these.
    ...{ headersTimeout: 0, bodyTimeout: 0, clientTtl: limits.webhookConnectionSeconds * 1000 },
    pipelining: 1,
  }
  const dispatcher: Dispatcher =
    proxyUrl === undefined
      ? new Agent({ ...common, connect: { lookup: vettedLookup, timeout: limits.webhookConnectMs } })
      : new ProxyAgent({ ...common, uri: proxyUrl, connectTimeout: limits.webhookConnectMs })

  async function attempt(
    url: URL,
    sent: Parameters<WebhookPost['send']>[0],
  ): Promise<Omit<AttemptResult, 'ms'>> {
    const deadline = AbortSignal.timeout(deadlineMs)
    const signal = sent.signal === undefined ? deadline : AbortSignal.any([deadline, sent.signal])
    const answer = await request(url, {
      ...{ method: 'POST', headers: sent.headers, body: sent.body, dispatcher, signal },
    })
    const status = answer.statusCode
    const isAccepted = status >= 200 && status < 300
    // The status decides; what becomes of the rest of the answer does not.
    const start = await startOf(answer.body, limits.webhookAnswerBytes).catch(error => {
      if (isAccepted || !deadline.aborted) return Buffer.alloc(0)
      throw error
    })
    const retryAfterMs = readRetryAfter(header(answer.headers, 'retry-after'), clock())
    const date = Date.parse(header(answer.headers, 'date') ?? '')
    return {
      outcome: isAccepted ? 'accepted' : 'refused',
      status,
      answer: isAccepted ? null : readAnswer(answer.headers, start.subarray(0, limits.webhookAnswerKept)),
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
        // No name is looked up for an address, so it must be judged here.
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

const header = (headers: Headers, name: string) => [headers[name]].flat()[0]

/** The first bytes of an answer; the rest is not read, and its connection is closed. */
async function startOf(body: AsyncIterable<Buffer>, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= most) break
  }
  return Buffer.concat(chunks).subarray(0, most)
}

/** Only text is kept: it helps the owner of the endpoint, and has no control characters. */
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

/** The header has whole seconds: less than one is no difference. */
function skewOf(date: number, now: number): number {
  const skew = date - now
  return skew > 0 ? skew : Math.min(skew + 1000, 0)
}

/** Codes of system calls, of undici and of OpenSSL. */
const outcomesOfCodes: [codes: RegExp, outcome: AttemptOutcome][] = [
  [/^ADDRESS_REFUSED$/, 'address'],
  [/^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL|ETIMEOUT$)/, 'dns'],
  [/^(UND_ERR_.*TIMEOUT|ETIMEDOUT$)/, 'timeout'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EHOSTDOWN)$/, 'connect'],
  [/CERT|^(ERR_TLS|ERR_SSL|EPROTO|UNABLE_TO_|HOSTNAME_MISMATCH)/, 'tls'],
]

function outcomeOf(error: unknown): AttemptOutcome {
  const { name, code, errors } = error as { name?: string; code?: unknown; errors?: readonly unknown[] }
  if (name === 'TimeoutError') return 'timeout'
  // One error for each address that was tried.
  if (typeof code !== 'string' && errors?.[0] !== undefined) return outcomeOf(errors[0])
  return outcomesOfCodes.find(([codes]) => codes.test(String(code)))?.[1] ?? 'cut'
}
