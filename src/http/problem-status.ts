import type { ProblemCode } from '../core/problems.ts'

/** The one table that turns problem codes into HTTP statuses. */
export const problemStatus: Record<ProblemCode, number> = {
  'bad-request': 400,
  'invalid-parameter': 400,
  'repeated-parameter': 400,
  'invalid-credential': 401,
  'advertiser-on-hold': 403,
  'demo-loopback-only': 403,
  'not-found': 404,
  'no-such-route': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  'request-timeout': 408,
  'payload-too-large': 413,
  'uri-too-long': 414,
  'unsupported-media-type': 415,
  'range-not-satisfiable': 416,
  'expectation-failed': 417,
  'invalid-fields': 422,
  'rate-limited': 429,
  'too-many-streams': 429,
  'headers-too-large': 431,
  internal: 500,
  'not-yet-scanned': 503,
  unavailable: 503,
  'shutting-down': 503,
}
