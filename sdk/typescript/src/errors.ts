/** One field of a request that the service rejected. */
export interface FieldError {
  field: string
  code: string
  message: string
}

interface Facts {
  status?: number | undefined
  detail?: string | undefined
  requestId?: string | undefined
  errors?: readonly FieldError[] | undefined
  retryAfterSeconds?: number | undefined
  cause?: unknown
}

/** Every failure of this package. An aborted call throws the reason of its signal instead. */
export class DossierError extends Error {
  /**
   * Stable: a problem code of the service, an OAuth error, or one of this package: `network` (no complete response),
   * `bad-response` (a response that is not the service's), `bad-settings`, `webhook-rejected`, `callback-rejected`,
   * `cursor-in-use`.
   */
  readonly code: string
  /** Undefined if there was no response. */
  readonly status: number | undefined
  readonly detail: string | undefined
  /** The operator finds the request in the log by it. */
  readonly requestId: string | undefined
  readonly errors: readonly FieldError[]
  readonly retryAfterSeconds: number | undefined

  constructor(code: string, message: string, facts: Facts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.name = 'DossierError'
    this.code = code
    this.status = facts.status
    this.detail = facts.detail
    this.requestId = facts.requestId
    this.errors = facts.errors ?? []
    this.retryAfterSeconds = facts.retryAfterSeconds
  }
}

const textIn = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Reads a problem (RFC 9457) or an OAuth error. Proxies answer in other forms: those are named by their status. */
export async function errorOf(response: Response): Promise<DossierError> {
  const { status, headers } = response
  const body = parsed(await response.text().catch(() => ''))
  const detail = textIn(body['detail']) ?? textIn(body['error_description'])
  const code = textIn(body['code']) ?? textIn(body['error']) ?? `status-${status}`
  return new DossierError(code, `${status} ${code}${detail === undefined ? '' : `: ${detail}`}`, {
    status,
    detail,
    requestId: textIn(body['requestId']),
    errors: Array.isArray(body['errors']) ? body['errors'] : undefined,
    retryAfterSeconds: secondsIn(headers.get('retry-after')),
  })
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Retry-After is a number of seconds, or a date. */
function secondsIn(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000)
}
