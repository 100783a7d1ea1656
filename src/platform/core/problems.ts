/** Limit: Retry-After of a 503. */
export const retryAfterSeconds = 5

/** How a catalogue describes a code. */
export interface ProblemDescription {
  /** Names the problem. */
  title: string
  /** Says what the caller can do, and is the default detail of a problem. */
  help: string
  /** The HTTP status. */
  status: number
  /** `WWW-Authenticate` of the response, unless authentication has set another one. */
  challenge?: string
}

interface CodedProblem extends ProblemDescription {
  code: ProblemCode
}

/** The problems that the platform throws. Codes are part of the contract and never change their meaning. */
export const platformProblems = {
  'bad-request': {
    title: 'Malformed request',
    help: 'The request is not well-formed HTTP, or its path or body cannot be decoded. Correct it and send it again.',
    status: 400,
  },
  'invalid-parameter': {
    title: 'Invalid parameter',
    help: 'The detail names the parameter and the form that it must have.',
    status: 400,
  },
  'repeated-parameter': {
    title: 'Repeated parameter',
    help: 'Send each parameter once. Version 1 ignores the case of parameter names.',
    status: 400,
  },
  'form-expired': {
    title: 'Form expired',
    help: 'The form was made for another browser or session, or by another site. Go back, reload the page and send it from there. Your browser must allow cookies.',
    status: 403,
  },
  'form-under-way': {
    title: 'Form already sent',
    help: 'The form has been sent before, and its result is not known yet. Wait a minute, then check whether your change is there. If it is not, open the form again.',
    status: 409,
  },
  'demo-loopback-only': {
    title: 'Demo available on this machine only',
    help: 'The demo has published credentials, so it rejects every request that was not made to a loopback address or that came through a proxy. To serve others, run "dossier serve" without --demo.',
    status: 403,
  },
  'not-found': {
    title: 'Not found',
    help: 'It does not exist, or you have no access to it: the answer is the same on purpose. Check the address and the IDs in it.',
    status: 404,
  },
  'no-such-route': {
    title: 'No such path',
    help: 'There is no endpoint at this path. /openapi.json lists the paths.',
    status: 404,
  },
  'method-not-allowed': {
    title: 'Method not allowed',
    help: 'Use one of the methods in the Allow header.',
    status: 405,
  },
  'request-timeout': {
    title: 'Request timeout',
    help: 'The connection stayed open, but the request did not arrive completely in the time allowed. Send it again.',
    status: 408,
  },
  'payload-too-large': {
    title: 'Body too large',
    help: 'Send a smaller body. The settings reference lists the limits.',
    status: 413,
  },
  'uri-too-long': {
    title: 'URL too long',
    help: 'Send a shorter URL. The settings reference lists the limits.',
    status: 414,
  },
  'unsupported-media-type': {
    title: 'Unsupported content type',
    help: 'The detail says which content type, charset or encoding to send.',
    status: 415,
  },
  'range-not-satisfiable': {
    title: 'Range not satisfiable',
    help: 'The range lies outside the content, whose length is in Content-Range. Request a range within it, or the whole content.',
    status: 416,
  },
  'expectation-failed': {
    title: 'Expectation failed',
    help: 'Send "Expect: 100-continue" or no Expect header.',
    status: 417,
  },
  'idempotency-key-in-use': {
    title: 'Idempotency-Key in use',
    help: 'Another request with this key is still being processed. To get its answer, send the same key and content again after the number of seconds in Retry-After.',
    status: 409,
  },
  'invalid-fields': {
    title: 'Invalid fields',
    help: 'Correct the fields listed in "errors" and send the request again. At most 50 are listed; an entry with the code "more" says that there are others.',
    status: 422,
  },
  'rate-limited': {
    title: 'Too many requests',
    help: 'Wait for the number of seconds in Retry-After. The RateLimit header of every response says how many requests are left.',
    status: 429,
  },
  'headers-too-large': {
    title: 'Headers too large',
    help: 'Send fewer or shorter headers. The settings reference lists the limits.',
    status: 431,
  },
  internal: {
    title: 'Internal error',
    help: 'Something went wrong on our side. Give the operator the request ID, which finds the cause in the log.',
    status: 500,
  },
  unavailable: {
    title: 'Temporarily unavailable',
    help: 'The database or the file store cannot be reached. Retry after the number of seconds in Retry-After.',
    status: 503,
  },
  'shutting-down': {
    title: 'Node shutting down',
    help: 'This node is no longer ready for new traffic, which the load balancer sends to other nodes. It still serves the requests that reach it.',
    status: 503,
  },
} as const satisfies Record<string, ProblemDescription>

type PlatformProblems = typeof platformProblems
export type PlatformCode = keyof PlatformProblems

/** Describes every code that callers can meet. Rooms add theirs: see src/model/problems.ts. */
export interface ProblemCatalogue extends PlatformProblems {}

export type ProblemCode = keyof ProblemCatalogue

export interface FieldError {
  field: string
  code: string
  message: string
}

/** Enough to fix a request; limits the response when ten thousand fields are invalid. */
export const maxFieldErrors = 50

function limitErrors(errors: readonly FieldError[]): readonly FieldError[] {
  if (errors.length <= maxFieldErrors) return errors
  const message = `There are more errors: only the first ${maxFieldErrors} are listed.`
  return [...errors.slice(0, maxFieldErrors), { field: '', code: 'more', message }]
}

export interface ProblemOptions {
  errors?: readonly FieldError[]
  retryAfterSeconds?: number
  /** For the log only; never sent to the caller. */
  cause?: unknown
}

/** Thrown to report a problem to the caller. It describes itself, so it can be sent without a catalogue. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly title: string
  readonly status: number
  readonly challenge: string | undefined
  readonly detail: string
  readonly errors: readonly FieldError[]
  readonly retryAfterSeconds: number | undefined

  constructor(problem: PlatformCode | CodedProblem, ownDetail?: string, options: ProblemOptions = {}) {
    const { code, title, help, status, challenge }: CodedProblem =
      typeof problem === 'string' ? { code: problem, ...platformProblems[problem] } : problem
    const detail = ownDetail ?? help
    super(`${code}: ${detail}`, { cause: options.cause })
    this.code = code
    this.title = title
    this.status = status
    this.challenge = challenge
    this.detail = detail
    this.errors = limitErrors(options.errors ?? [])
    this.retryAfterSeconds =
      options.retryAfterSeconds ?? (code === 'unavailable' ? retryAfterSeconds : undefined)
  }
}
