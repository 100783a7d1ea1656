/**
 * The catalogue of everything that can go wrong for a caller. The codes are part of the contract: they
 * never change their meaning. `spec/problems.md` and `/problems/{code}` are made from this file; which
 * HTTP status a code gets is decided in `src/http/responses/problem-status.ts`.
 */
export const problems = {
  'bad-request': {
    title: 'The request cannot be read',
    help: 'The request is not well-formed HTTP, or its path or body cannot be decoded. Send it again in a correct form.',
  },
  'invalid-parameter': {
    title: 'A parameter has a value that cannot be read',
    help: 'The detail names the parameter and the form that is expected.',
  },
  'repeated-parameter': {
    title: 'A parameter was sent more than once',
    help: 'Send each parameter once. The names of version 1 parameters are the same in any letter case.',
  },
  'invalid-credential': {
    title: 'No valid credential',
    help: 'The Authorization header is missing, malformed or of another scheme, or the credential is unknown, expired or revoked. Version 1 takes "Authorization: SWS <credential>". Ask the advertiser for a new credential, or issue one with "dossier credential issue".',
  },
  'invalid-token': {
    title: 'No valid bearer token',
    help: 'The Authorization header is missing or malformed, or the token is unknown, expired, revoked, withdrawn by the candidate, or of another kind. Prefill and resume take the token of an authorization code; completion takes one from grant_type=client_credentials without scope, intake one with scope=w_applications. Send it as "Authorization: Bearer <token>", never in the URL, and get a new one.',
  },
  'advertiser-on-hold': {
    title: 'The advertiser account is on hold',
    help: 'The credential is right, but its advertiser may not use the service at present. Ask the operator.',
  },
  'agent-not-authorised': {
    title: 'The agent no longer acts for this advertiser',
    help: 'The token was issued while the advertiser authorised the agent, and it has withdrawn that since. Ask the advertiser; after a new authorisation, get a new token.',
  },
  'advertiser-not-listed': {
    title: 'The client may not act for this advertiser',
    help: 'The token is right, but this advertiser is not listed on its client, or there is none of that ID: both look alike on purpose. The operator lists advertisers with "dossier client allow".',
  },
  'token-of-another-advertiser': {
    title: 'The token is bound to another advertiser',
    help: 'The candidate consented to share with one advertiser, the advertiser_id of the authorization request. Send that one as advertiserId, or ask the candidate again.',
  },
  'admins-only': {
    title: 'Only admins may do this',
    help: 'You work for this advertiser as a recruiter, who sees its applications. Ask one of its admins, who are listed under People, to do it or to make you one.',
  },
  'form-expired': {
    title: 'This form is no longer valid',
    help: 'The form was made for another browser or session, or it was not ours. Go back, load the page again and send it from there. Cookies must be allowed.',
  },
  'form-under-way': {
    title: 'This form was sent before',
    help: 'What came of it is not known yet. Wait a minute and look whether what you wanted is there. If it is not, open the form anew.',
  },
  'demo-loopback-only': {
    title: 'The demo answers on this machine only',
    help: 'Demo mode has fixed, published credentials, so it refuses every request that was not made to a loopback address or that came through a proxy. Run "dossier serve" without --demo to serve others.',
  },
  'not-found': {
    title: 'No such thing',
    help: 'It does not exist, or it is not yours. Both look alike on purpose.',
  },
  'no-such-route': {
    title: 'No such address',
    help: 'Nothing is served at this path. The paths are listed in /openapi.json.',
  },
  'method-not-allowed': {
    title: 'The method is not allowed here',
    help: 'The Allow header lists the methods that are.',
  },
  'not-acceptable': {
    title: 'None of the accepted types can be served',
    help: 'Send "Accept: application/json" or "Accept: application/xml", or no Accept header at all for JSON.',
  },
  'request-timeout': {
    title: 'The request did not arrive in time',
    help: 'The connection stayed open, but the request was not complete within the time allowed. Send it again.',
  },
  'payload-too-large': {
    title: 'The body is too large',
    help: 'See the limits in the settings reference.',
  },
  'uri-too-long': {
    title: 'The URL is too long',
    help: 'See the limits in the settings reference.',
  },
  'unsupported-media-type': {
    title: 'The content type cannot be read here',
    help: 'The detail says which content type, charset or encoding can.',
  },
  'range-not-satisfiable': {
    title: 'The range lies outside the content',
    help: 'Content-Range gives the length. Ask for a range within it, or for the whole.',
  },
  'expectation-failed': {
    title: 'The Expect header cannot be met',
    help: 'Only "Expect: 100-continue" is understood.',
  },
  'idempotency-key-in-use': {
    title: 'A request with this Idempotency-Key is under way',
    help: 'Another request with the same key has not ended yet. Send it again, with the same key and content, after the number of seconds in Retry-After: you get its answer.',
  },
  'idempotency-key-reused': {
    title: 'This Idempotency-Key was used for something else',
    help: 'The key has made an application, and what was sent now is not what was sent then. Send a new application with a new key; to repeat the old one, send exactly its fields and files.',
  },
  'invalid-fields': {
    title: 'Some fields are wrong',
    help: 'The request could be read, but "errors" lists fields whose values cannot be taken: the first 50 of them, and whether there are more.',
  },
  'rate-limited': {
    title: 'Too many requests',
    help: 'Wait for the number of seconds in Retry-After. The RateLimit header of every answer tells how many requests are left.',
  },
  'too-many-streams': {
    title: 'Too many whole lists at once',
    help: 'A list without limit is streamed, and a credential may have only a few of them under way. Wait for one to end, or page with limit.',
  },
  'headers-too-large': {
    title: 'The headers are too large',
    help: 'See the limits in the settings reference.',
  },
  internal: {
    title: 'Something went wrong on our side',
    help: 'The operator finds the cause in the log by the request id.',
  },
  'not-yet-scanned': {
    title: 'The file has not been scanned yet',
    help: 'It is handed out as soon as the virus scanner has judged it. Ask again after the number of seconds in Retry-After.',
  },
  'file-not-judged': {
    title: 'The file cannot be checked for viruses',
    help: 'It is beyond the limits of the virus scanner, or locked with a password, so it is not handed out. Asking again does not help: ask the candidate for another copy, or the operator to raise the limits of the scanner. A verdict that comes later is shown in HasVirus.',
  },
  unavailable: {
    title: 'A part of the service is away',
    help: 'The database or the file store cannot be reached. Ask again after the number of seconds in Retry-After.',
  },
  'shutting-down': {
    title: 'This node is shutting down',
    help: 'It is no longer ready for new traffic: a balancer sends that to another node. What arrives here all the same is still served.',
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

/** Enough to mend a request by; an answer must stay small when each of ten thousand fields is wrong. */
export const errorsTold = 50

function toldErrors(errors: readonly FieldError[]): readonly FieldError[] {
  if (errors.length <= errorsTold) return errors
  const message = `More is wrong: only the first ${errorsTold} are told.`
  return [...errors.slice(0, errorsTold), { field: '', code: 'more', message }]
}

interface ProblemOptions {
  errors?: readonly FieldError[]
  retryAfterSeconds?: number
  /** For the log only: it never reaches the caller. */
  cause?: unknown
}

/** Thrown wherever a caller has to be told something. It knows nothing of HTTP. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly detail: string
  readonly errors: readonly FieldError[]
  readonly retryAfterSeconds: number | undefined

  constructor(code: ProblemCode, detail: string = problems[code].title, options: ProblemOptions = {}) {
    super(`${code}: ${detail}`, { cause: options.cause })
    this.code = code
    this.detail = detail
    this.errors = toldErrors(options.errors ?? [])
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
