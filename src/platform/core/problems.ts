/** Limit: Retry-After of a 503. */
export const retryAfterSeconds = 5

/**
 * The catalogue of problems that callers can meet. The codes are part of the contract and never change their meaning.
 * `title` names the problem; `help` says what the caller can do, and is the default detail of a problem.
 * `spec/problems.md` and `/problems/{code}` are made from this file; `src/platform/http/responses/problem-status.ts`
 * maps the codes to HTTP statuses.
 */
export const problems = {
  'bad-request': {
    title: 'Malformed request',
    help: 'The request is not well-formed HTTP, or its path or body cannot be decoded. Correct it and send it again.',
  },
  'invalid-parameter': {
    title: 'Invalid parameter',
    help: 'The detail names the parameter and the form that it must have.',
  },
  'repeated-parameter': {
    title: 'Repeated parameter',
    help: 'Send each parameter once. Version 1 ignores the case of parameter names.',
  },
  'bad-cursor': {
    title: 'Unreadable cursor',
    help: 'This stream did not issue that cursor. Send the cursor of the last answer unchanged, or begin with cursor=now.',
  },
  'cursor-too-old': {
    title: 'Cursor too old',
    help: 'Events after this cursor were removed: they are kept for a number of days that the detail names. Take a new cursor with cursor=now, read the list of applications once, and go on from that cursor.',
  },
  'too-many-waiting': {
    title: 'Too many waiting requests',
    help: 'A credential may only have a few requests with wait at once. Wait for one to end.',
  },
  'invalid-credential': {
    title: 'Invalid credential',
    help: 'The Authorization header is missing, malformed or uses another scheme, or the credential is unknown, expired or revoked. Version 1 takes "Authorization: SWS <credential>". The token of an agent reads with the scope r_applications and reports progress with w_progress. Ask the advertiser for a new credential, or issue one with "dossier credential issue".',
  },
  'invalid-token': {
    title: 'Invalid bearer token',
    help: 'The Authorization header is missing or malformed, or the token is unknown, expired, revoked, withdrawn by the candidate or of the wrong kind. Prefill and resume take the token of an authorization code; completion takes one from grant_type=client_credentials without scope, intake one with scope=w_applications, and the webhook endpoints of an agent one with scope=m_webhooks. Get a new token and send it as "Authorization: Bearer <token>", never in the URL.',
  },
  'advertiser-on-hold': {
    title: 'Account on hold',
    help: 'The credential is valid, but the account of its advertiser is on hold. Ask the operator.',
  },
  'agent-not-authorised': {
    title: 'Agent not authorised',
    help: 'The advertiser does not authorise the agent that the client belongs to, or has withdrawn the authorisation since the token was issued. Ask the advertiser to authorise the agent, then get a new token.',
  },
  'webhooks-not-allowed': {
    title: 'Webhooks not allowed',
    help: 'This credential can read applications and cannot manage webhook endpoints. An admin of the company can create one that can, in the console under API access.',
  },
  'progress-not-granted': {
    title: 'Progress not granted',
    help: 'The advertiser authorises the agent and doesn’t allow it to report progress. An admin of the company can allow it, in the console under API access.',
  },
  'at-in-future': {
    title: 'Time in the future',
    help: 'The time of the entry is more than five minutes in the future, so nothing was changed. Check the clock and the time zone of your system, and send the entry again with the right time.',
  },
  'history-full': {
    title: 'History full',
    help: 'The application has as many notes and changes of status as it can have, so nothing was changed. Do not send the entry again.',
  },
  'advertiser-not-listed': {
    title: 'Advertiser not listed',
    help: 'The token is valid, but this advertiser is not listed on its client, or does not exist: the answer is the same on purpose. The operator lists advertisers with "dossier client allow".',
  },
  'token-of-another-advertiser': {
    title: 'Token bound to another advertiser',
    help: 'The candidate consented to share with one advertiser, the advertiser_id of the authorization request. Send that ID as advertiserId, or ask the candidate again.',
  },
  'admins-only': {
    title: 'Admins only',
    help: 'You are a recruiter of this company and can see its applications. Ask one of its admins, who are listed under People, to do this or to make you an admin.',
  },
  'form-expired': {
    title: 'Form expired',
    help: 'The form was made for another browser or session, or by another site. Go back, reload the page and send it from there. Your browser must allow cookies.',
  },
  'form-under-way': {
    title: 'Form already sent',
    help: 'The form has been sent before, and its result is not known yet. Wait a minute, then check whether your change is there. If it is not, open the form again.',
  },
  'demo-loopback-only': {
    title: 'Demo available on this machine only',
    help: 'The demo has published credentials, so it rejects every request that was not made to a loopback address or that came through a proxy. To serve others, run "dossier serve" without --demo.',
  },
  'not-found': {
    title: 'Not found',
    help: 'It does not exist, or you have no access to it: the answer is the same on purpose. Check the address and the IDs in it.',
  },
  'no-such-route': {
    title: 'No such path',
    help: 'There is no endpoint at this path. /openapi.json lists the paths.',
  },
  'method-not-allowed': {
    title: 'Method not allowed',
    help: 'Use one of the methods in the Allow header.',
  },
  'not-acceptable': {
    title: 'Not acceptable',
    help: 'Send "Accept: application/json" or "Accept: application/xml", or no Accept header for JSON.',
  },
  'request-timeout': {
    title: 'Request timeout',
    help: 'The connection stayed open, but the request did not arrive completely in the time allowed. Send it again.',
  },
  'payload-too-large': {
    title: 'Body too large',
    help: 'Send a smaller body. The settings reference lists the limits.',
  },
  'uri-too-long': {
    title: 'URL too long',
    help: 'Send a shorter URL. The settings reference lists the limits.',
  },
  'unsupported-media-type': {
    title: 'Unsupported content type',
    help: 'The detail says which content type, charset or encoding to send.',
  },
  'range-not-satisfiable': {
    title: 'Range not satisfiable',
    help: 'The range lies outside the content, whose length is in Content-Range. Request a range within it, or the whole content.',
  },
  'expectation-failed': {
    title: 'Expectation failed',
    help: 'Send "Expect: 100-continue" or no Expect header.',
  },
  'idempotency-key-in-use': {
    title: 'Idempotency-Key in use',
    help: 'Another request with this key is still being processed. To get its answer, send the same key and content again after the number of seconds in Retry-After.',
  },
  'idempotency-key-reused': {
    title: 'Idempotency-Key reused',
    help: 'This key was used before, with other content. Send a new key with a new application; to repeat the earlier request, send exactly its fields and files.',
  },
  'invalid-fields': {
    title: 'Invalid fields',
    help: 'Correct the fields listed in "errors" and send the request again. At most 50 are listed; an entry with the code "more" says that there are others.',
  },
  'endpoint-address': {
    title: 'URL not allowed for webhooks',
    help: 'Send the URL of a public address that begins with https://. The entry in "errors" says what is wrong with the one you sent.',
  },
  'endpoint-not-answering': {
    title: 'Webhook endpoint not answering',
    help: 'The URL must accept a test with a status from 200 to 299 first; nothing was changed. Check the receiver and send the request again.',
  },
  'rate-limited': {
    title: 'Too many requests',
    help: 'Wait for the number of seconds in Retry-After. The RateLimit header of every response says how many requests are left.',
  },
  'too-many-streams': {
    title: 'Too many whole lists at once',
    help: 'A list without limit is streamed, and a credential may only stream a few at once. Wait for one to end, or page with limit.',
  },
  'headers-too-large': {
    title: 'Headers too large',
    help: 'Send fewer or shorter headers. The settings reference lists the limits.',
  },
  internal: {
    title: 'Internal error',
    help: 'Something went wrong on our side. Give the operator the request ID, which finds the cause in the log.',
  },
  'not-yet-scanned': {
    title: 'File not scanned yet',
    help: 'The virus scanner has not judged this file yet. Request it again after the number of seconds in Retry-After.',
  },
  'file-not-judged': {
    title: 'File cannot be scanned',
    help: 'The file exceeds the limits of the virus scanner or is protected by a password, so it is withheld. Retrying does not help: ask the candidate for another copy, or the operator to raise the limits of the scanner. HasVirus shows a verdict that comes later.',
  },
  unavailable: {
    title: 'Temporarily unavailable',
    help: 'The database or the file store cannot be reached. Retry after the number of seconds in Retry-After.',
  },
  'shutting-down': {
    title: 'Node shutting down',
    help: 'This node is no longer ready for new traffic, which the load balancer sends to other nodes. It still serves the requests that reach it.',
  },
} as const satisfies Record<string, { title: string; help: string }>

export type ProblemCode = keyof typeof problems

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(problems, text)
}

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

interface ProblemOptions {
  errors?: readonly FieldError[]
  retryAfterSeconds?: number
  /** For the log only; never sent to the caller. */
  cause?: unknown
}

/** Thrown to report a problem to the caller. Independent of HTTP. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly detail: string
  readonly errors: readonly FieldError[]
  readonly retryAfterSeconds: number | undefined

  constructor(code: ProblemCode, detail: string = problems[code].help, options: ProblemOptions = {}) {
    super(`${code}: ${detail}`, { cause: options.cause })
    this.code = code
    this.detail = detail
    this.errors = limitErrors(options.errors ?? [])
    this.retryAfterSeconds =
      options.retryAfterSeconds ?? (code === 'unavailable' ? retryAfterSeconds : undefined)
  }
}
