import {
  Problem,
  type ProblemCatalogue,
  type ProblemCode,
  type ProblemDescription,
  type ProblemOptions,
  platformProblems,
} from '../platform/core/problems.ts'

/** The problems of the board. Those that the platform throws are in src/platform/core/problems.ts. */
const boardProblems = {
  'bad-cursor': {
    title: 'Unreadable cursor',
    help: 'This stream did not issue that cursor. Send the cursor of the last answer unchanged, or begin with cursor=now.',
    status: 400,
  },
  'cursor-too-old': {
    title: 'Cursor too old',
    help: 'Events after this cursor were removed: they are kept for a number of days that the detail names. Take a new cursor with cursor=now, read the list of applications once, and go on from that cursor.',
    status: 410,
  },
  'too-many-waiting': {
    title: 'Too many waiting requests',
    help: 'A credential may only have a few requests with wait at once. Wait for one to end.',
    status: 429,
  },
  'invalid-credential': {
    title: 'Invalid credential',
    help: 'The Authorization header is missing, malformed or uses another scheme, or the credential is unknown, expired or revoked. Version 1 takes "Authorization: SWS <credential>". The token of an agent reads with the scope r_applications and reports progress with w_progress. Ask the advertiser for a new credential, or issue one with "dossier credential issue".',
    status: 401,
  },
  'invalid-token': {
    title: 'Invalid bearer token',
    help: 'The Authorization header is missing or malformed, or the token is unknown, expired, revoked, withdrawn by the candidate or of the wrong kind. Prefill and resume take the token of an authorization code; completion takes one from grant_type=client_credentials without scope, intake one with scope=w_applications, and the webhook endpoints of an agent one with scope=m_webhooks. Get a new token and send it as "Authorization: Bearer <token>", never in the URL.',
    status: 401,
    challenge: 'Bearer realm="dossier", error="invalid_token"',
  },
  'advertiser-on-hold': {
    title: 'Account on hold',
    help: 'The credential is valid, but the account of its advertiser is on hold. Ask the operator.',
    status: 403,
  },
  'agent-not-authorised': {
    title: 'Agent not authorised',
    help: 'The advertiser does not authorise the agent that the client belongs to, or has withdrawn the authorisation since the token was issued. Ask the advertiser to authorise the agent, then get a new token.',
    status: 403,
  },
  'webhooks-not-allowed': {
    title: 'Webhooks not allowed',
    help: 'This credential can read applications and cannot manage webhook endpoints. An admin of the company can create one that can, in the console under API access.',
    status: 403,
  },
  'progress-not-granted': {
    title: 'Progress not granted',
    help: 'The advertiser authorises the agent and doesn’t allow it to report progress. An admin of the company can allow it, in the console under API access.',
    status: 403,
  },
  'at-in-future': {
    title: 'Time in the future',
    help: 'The time of the entry is more than five minutes in the future, so nothing was changed. Check the clock and the time zone of your system, and send the entry again with the right time.',
    status: 422,
  },
  'history-full': {
    title: 'History full',
    help: 'The application has as many notes and changes of status as it can have, so nothing was changed. Do not send the entry again.',
    status: 409,
  },
  'advertiser-not-listed': {
    title: 'Advertiser not listed',
    help: 'The token is valid, but this advertiser is not listed on its client, or does not exist: the answer is the same on purpose. The operator lists advertisers with "dossier client allow".',
    status: 403,
  },
  'token-of-another-advertiser': {
    title: 'Token bound to another advertiser',
    help: 'The candidate consented to share with one advertiser, the advertiser_id of the authorization request. Send that ID as advertiserId, or ask the candidate again.',
    status: 403,
  },
  'admins-only': {
    title: 'Admins only',
    help: 'You are a recruiter of this company and can see its applications. Ask one of its admins, who are listed under People, to do this or to make you an admin.',
    status: 403,
  },
  'not-acceptable': {
    title: 'Not acceptable',
    help: 'Send "Accept: application/json" or "Accept: application/xml", or no Accept header for JSON.',
    status: 406,
  },
  'idempotency-key-reused': {
    title: 'Idempotency-Key reused',
    help: 'This key was used before, with other content. Send a new key with a new application; to repeat the earlier request, send exactly its fields and files.',
    status: 409,
  },
  'endpoint-address': {
    title: 'URL not allowed for webhooks',
    help: 'Send the URL of a public address that begins with https://. The entry in "errors" says what is wrong with the one you sent.',
    status: 422,
  },
  'endpoint-not-answering': {
    title: 'Webhook endpoint not answering',
    help: 'The URL must accept a test with a status from 200 to 299 first; nothing was changed. Check the receiver and send the request again.',
    status: 422,
  },
  'too-many-streams': {
    title: 'Too many whole lists at once',
    help: 'A list without limit is streamed, and a credential may only stream a few at once. Wait for one to end, or page with limit.',
    status: 429,
  },
  'not-yet-scanned': {
    title: 'File not scanned yet',
    help: 'The virus scanner has not judged this file yet. Request it again after the number of seconds in Retry-After.',
    status: 503,
  },
  'file-not-judged': {
    title: 'File cannot be scanned',
    help: 'The file exceeds the limits of the virus scanner or is protected by a password, so it is withheld. Retrying does not help: ask the candidate for another copy, or the operator to raise the limits of the scanner. HasVirus shows a verdict that comes later.',
    status: 403,
  },
} as const satisfies Record<string, ProblemDescription>

type BoardProblems = typeof boardProblems

declare module '../platform/core/problems.ts' {
  interface ProblemCatalogue extends BoardProblems {}
}

/** Every problem: `spec/problems.md`, `/docs/errors` and `/problems/{code}` are made from this catalogue. */
export const problems: ProblemCatalogue = { ...platformProblems, ...boardProblems }

/** In the order of their statuses. */
export const problemCodes = (Object.keys(problems) as ProblemCode[]).toSorted(
  (a, b) => problems[a].status - problems[b].status,
)

/** Thrown to report a problem of the board to the caller. */
export class BoardProblem extends Problem {
  constructor(code: keyof BoardProblems, detail?: string, options?: ProblemOptions) {
    super({ code, ...boardProblems[code] }, detail, options)
  }
}
