/**
 * Every numeric bound of the service, each with its reason. The ones an operator may want to move are
 * settings (`setting`: the name of the environment variable); the others are facts of the contract.
 */
interface Limit {
  value: number
  reason: string
  setting?: string
  /** The largest value that the setting takes, where a larger one would do harm. */
  most?: number
}

const kib = 1024

export const limits = {
  urlBytes: {
    value: 16 * kib,
    setting: 'MAX_URL_BYTES',
    reason: 'Longer URLs are answered with 414. No call of the contract needs a tenth of it.',
  },
  headerBytes: {
    value: 16 * kib,
    setting: 'MAX_HEADER_BYTES',
    reason: 'All headers together; beyond it 431. Room for large cookies and an 8 KiB Accept header.',
  },
  v1PerMinute: {
    value: 6_000,
    setting: 'RATE_LIMIT_V1_PER_MINUTE',
    reason:
      'Requests a minute per credential on version 1. A first sync of a large account downloads thousands of files and must not trip over it.',
  },
  authFailuresPerAddressPerMinute: {
    value: 60,
    setting: 'RATE_LIMIT_AUTH_FAILURES_PER_ADDRESS_PER_MINUTE',
    reason:
      'Failed authentications a minute per client address. Only failures count, so a right credential works while others guess.',
  },
  wholeListsPerCredential: {
    value: 4,
    setting: 'WHOLE_LISTS_PER_CREDENTIAL',
    reason: 'Lists without limit that one credential may have under way at once; the next gets 429.',
  },
  shutdownGraceSeconds: {
    value: 10,
    setting: 'SHUTDOWN_GRACE_SECONDS',
    // A timer holds 24 days; longer, and it would end at once.
    most: 86_400,
    reason:
      'How long requests in flight may go on after SIGTERM or SIGINT. Container runtimes kill after 10 to 30.',
  },
  databasePoolSize: {
    value: 10,
    setting: 'DATABASE_POOL_SIZE',
    reason: 'PostgreSQL connections of one process. The default limit of a server is 100, so ten nodes fit.',
  },
  pageSize: { value: 1_000, reason: 'The largest limit of a list page; a page stays well under 2 MB.' },
  streamChunk: {
    value: 200,
    reason:
      'Applications read at once while a whole list is streamed: some 200 kB. With 500 it was a fifth faster, but the process grew by half as much again.',
  },
  credentialLength: {
    value: 200,
    reason: 'Any value up to this length is looked up; ours have 56 characters.',
  },
  lastUsedEverySeconds: {
    value: 60,
    reason:
      'The last-used time of a credential is written at most once in this time, so that reads stay reads.',
  },
  connectionIdleSeconds: {
    value: 60,
    reason:
      'A connection on which nothing moves, in either direction, in the middle of an answer is closed: stalled readers must not hold slots for ever.',
  },
  keepAliveSeconds: {
    value: 72,
    reason:
      'Idle connections stay open longer than the 60 seconds common in proxies, so that the proxy closes first.',
  },
  headersArriveSeconds: {
    value: 20,
    reason: 'Time for a request line and headers to arrive: no slow-loris.',
  },
  requestArrivesSeconds: { value: 60, reason: 'Time for a whole request to arrive.' },
  rateLimitKeys: {
    value: 100_000,
    reason:
      'Addresses remembered at once by a rate limit; beyond it newcomers share one count. Bounds memory.',
  },
  retryAfterSeconds: { value: 5, reason: 'What a 503 asks callers to wait.' },
  unscannedRetryAfterSeconds: {
    value: 30,
    reason: 'What a download of a file that is not judged yet asks callers to wait.',
  },
  busyWaitMs: {
    value: 10_000,
    reason: 'How long a write waits for another process to let go of the SQLite file before it answers 503.',
  },
  connectMs: { value: 5_000, reason: 'How long to wait for a PostgreSQL connection before it answers 503.' },
  databaseCloseMs: {
    value: 2_000,
    reason: 'How long the end of the process waits for queries that PostgreSQL does not answer.',
  },
  advertiserId: {
    value: 9_999_999_999,
    reason: 'The largest ID that an operator may choose, so that there is always a next one.',
  },
  nameLength: { value: 200, reason: 'First name, last name, job title, company, file labels.' },
  emailLength: { value: 254, reason: 'The longest address that SMTP can carry.' },
  phoneLength: { value: 50, reason: 'Room for country code, extension and remarks such as "after 5 pm".' },
  referenceLength: { value: 200, reason: "The advertiser's own reference for an ad." },
  longTextLength: { value: 10_000, reason: 'Question and answer texts.' },
  screenQuestions: { value: 200, reason: 'Questions in one questionnaire.' },
  screenAnswers: { value: 200, reason: 'Answers to choose from in one question.' },
  monthsInRole: { value: 1_200, reason: 'A hundred years.' },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof limits
export type Limits = Record<LimitName, number>

export const defaultLimits: Limits = Object.fromEntries(
  Object.entries(limits).map(([name, limit]) => [name, limit.value]),
) as Limits
