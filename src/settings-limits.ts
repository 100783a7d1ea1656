/** A limit that an operator may change by an environment variable. */
interface Limit {
  value: number
  reason: string
  setting: string
  /** Defaults to 1. */
  min?: number
  /** Set where a larger value would do harm. */
  max?: number
}

const kib = 1024

export const limits = {
  urlBytes: {
    value: 16 * kib,
    setting: 'MAX_URL_BYTES',
    reason: 'Longer URLs get 414. No call of the contract needs a tenth of this.',
  },
  headerBytes: {
    value: 16 * kib,
    setting: 'MAX_HEADER_BYTES',
    reason: 'All headers together; more get 431. Leaves room for large cookies and an 8 KiB Accept header.',
  },
  v1PerMinute: {
    value: 6_000,
    setting: 'RATE_LIMIT_V1_PER_MINUTE',
    reason:
      'Requests per minute and credential on version 1. The first sync of a large account downloads thousands of files and must not hit the limit.',
  },
  v2PerMinute: {
    value: 3_000,
    setting: 'RATE_LIMIT_V2_PER_MINUTE',
    reason:
      'Requests per minute and token on version 2. A token belongs to one candidate, and a client makes three requests with it.',
  },
  intakePerMinute: {
    value: 6_000,
    setting: 'RATE_LIMIT_INTAKE_PER_MINUTE',
    reason:
      'Requests per minute and client on intake. A job board sends the applications of all its candidates through one client.',
  },
  tokenPerMinute: {
    value: 600,
    setting: 'RATE_LIMIT_TOKEN_PER_MINUTE',
    reason: 'Requests per minute and client on the token endpoint: ten candidates per second.',
  },
  codesPerMinute: {
    value: 60,
    setting: 'RATE_LIMIT_CODES_PER_MINUTE',
    reason:
      'Codes per minute, session and client. A candidate needs one per application; a page in a redirect loop requests thousands.',
  },
  authFailuresPerClientPerMinute: {
    value: 30,
    setting: 'RATE_LIMIT_AUTH_FAILURES_PER_CLIENT_PER_MINUTE',
    reason:
      'Failed authentications per minute and OAuth client. Only failures count, so the right secret works while an attacker guesses.',
  },
  authFailuresPerAddressPerMinute: {
    value: 60,
    setting: 'RATE_LIMIT_AUTH_FAILURES_PER_ADDRESS_PER_MINUTE',
    reason:
      'Failed authentications per minute and network address. Only failures count, so a valid credential works while an attacker guesses.',
  },
  jsonBytes: {
    value: 256 * kib,
    setting: 'MAX_JSON_BYTES',
    reason: 'Size of a JSON body; a prefill request is smaller than 10 KiB.',
  },
  formBytes: {
    value: 64 * kib,
    setting: 'MAX_FORM_BYTES',
    reason:
      'Size of a form body: the longest profile fits, and so does an authorization request as long as a URL may be.',
  },
  fileBytes: {
    value: 10 * kib * kib,
    setting: 'MAX_FILE_BYTES',
    reason: 'Size of a resume or other uploaded file.',
  },
  codeSeconds: {
    value: 300,
    setting: 'CODE_SECONDS',
    max: 600,
    reason: 'Lifetime of an authorization code. RFC 6749 recommends ten minutes at most.',
  },
  tokenSeconds: {
    value: 1_200,
    setting: 'TOKEN_SECONDS',
    max: 86_400,
    reason: 'Lifetime of an access token: enough to fill in a form. There are no refresh tokens.',
  },
  consentDays: {
    value: 90,
    setting: 'CONSENT_DAYS',
    reason: 'Candidates are asked again when their consent is older than this.',
  },
  sessionSeconds: {
    value: 14 * 86_400,
    setting: 'SESSION_SECONDS',
    reason: 'Lifetime of a session, used or not.',
  },
  operatorSessionSeconds: {
    value: 43_200,
    setting: 'OPERATOR_SESSION_SECONDS',
    reason: "Lifetime of an operator's session, used or not: one working day.",
  },
  operatorIdleSeconds: {
    value: 3_600,
    setting: 'OPERATOR_IDLE_SECONDS',
    reason: "An operator's session ends after this time without use.",
  },
  wholeListsPerCredential: {
    value: 4,
    setting: 'WHOLE_LISTS_PER_CREDENTIAL',
    reason: 'Lists without limit that one credential may stream at once; the next gets 429.',
  },
  shutdownGraceSeconds: {
    value: 10,
    setting: 'SHUTDOWN_GRACE_SECONDS',
    // Node's timers hold 24 days; a longer one would fire immediately.
    max: 86_400,
    reason:
      'Seconds that requests in flight get to finish after SIGTERM or SIGINT. Container runtimes kill after 10 to 30.',
  },
  shutdownIdleMs: {
    value: 2_000,
    setting: 'SHUTDOWN_IDLE_MS',
    max: 60_000,
    reason:
      'How long idle connections stay open after the last request has ended, within SHUTDOWN_GRACE_SECONDS. A connection that is used more often is closed by a response with "Connection: close", so that no request meets a closing connection.',
  },
  databasePoolSize: {
    value: 20,
    setting: 'DATABASE_POOL_SIZE',
    min: 2,
    reason:
      'PostgreSQL connections of one process, opened when needed: half for writes, half for reads, and one more during a migration. DATABASE_REPLICA_URL gets as many as there are for reads. A server accepts 97 by default, so four processes fit.',
  },
  statementTimeoutMs: {
    value: 30_000,
    setting: 'DATABASE_STATEMENT_TIMEOUT_MS',
    max: 3_600_000,
    reason:
      'Statement timeout on PostgreSQL. None takes a second at a million applications; a statement that takes half a minute is stuck, and proxies give up after a minute. Migrations have no timeout.',
  },
  resumeUploadsPerHour: {
    value: 100,
    setting: 'RATE_LIMIT_RESUME_UPLOADS_PER_HOUR',
    reason:
      'Resumes that one candidate may upload per hour: deleted ones stay on disk until the next clean-up.',
  },
  applicationsPerHour: {
    value: 60,
    setting: 'RATE_LIMIT_APPLICATIONS_PER_HOUR',
    reason:
      'Apply forms that one candidate may send per hour, each with three files: more than a person can fill in.',
  },
  accountFormsPerAddressPerMinute: {
    value: 30,
    setting: 'RATE_LIMIT_ACCOUNT_FORMS_PER_ADDRESS_PER_MINUTE',
    reason: 'Sign-ups and password resets per minute and network address: each may send an email.',
  },
  signInCodesPerHour: {
    value: 2_000,
    setting: 'RATE_LIMIT_SIGN_IN_CODES_PER_HOUR',
    reason:
      'Codes to sign in that can be asked for per hour, by all visitors together: each may send an email, and each allows five guesses.',
  },
  scanMs: {
    value: 30_000,
    setting: 'SCAN_MS',
    // Uploads wait for the scanner, and proxies give up after a minute.
    max: 50_000,
    reason:
      'How long an upload waits for the verdict; after that the file is accepted unscanned and scanned later.',
  },
  scansAtOnce: {
    value: 8,
    setting: 'SCANS_AT_ONCE',
    reason: 'Files sent to clamd at once; clamd has ten threads by default. Other files wait their turn.',
  },
  rescanEverySeconds: {
    value: 30,
    setting: 'RESCAN_SECONDS',
    max: 86_400,
    reason:
      'How often unscanned files are scanned again; also the Retry-After of a download that is held back.',
  },
  expiryEverySeconds: {
    value: 600,
    setting: 'EXPIRY_SECONDS',
    max: 86_400,
    reason:
      'How often expired codes, tokens, sessions and the like are removed. They are rejected in any case.',
  },
  erasureEverySeconds: {
    value: 600,
    setting: 'ERASURE_SECONDS',
    max: 86_400,
    reason: 'How often applications are erased that have become due.',
  },
  cleanUpEverySeconds: {
    value: 600,
    setting: 'CLEAN_UP_SECONDS',
    max: 86_400,
    reason: 'How often the bytes of deleted files and broken uploads are removed.',
  },
  deliveriesEverySeconds: {
    value: 30,
    setting: 'DELIVERIES_SECONDS',
    max: 3_600,
    reason: 'How often emails are retried that could not be sent at once, or whose process died.',
  },
  deliveryKeptDays: {
    value: 7,
    setting: 'DELIVERIES_KEPT_DAYS',
    max: 90,
    reason: 'How long "dossier mail list" shows emails that were sent or failed. Their text is never stored.',
  },
  connections: {
    value: 10_000,
    setting: 'MAX_CONNECTIONS',
    reason:
      'Connections of one process per address that it listens on. An idle one costs about 10 kB, so a flood stays below 100 MB. Further ones are closed at once, which costs less than serving them; a load balancer then tries the next node.',
  },
  requestsPerConnection: {
    value: 1_000,
    setting: 'MAX_REQUESTS_PER_CONNECTION',
    reason:
      'The response to the last request closes the connection, so that clients with permanent connections move to new nodes. Opening a connection costs a tenth of a request; nginx has the same bound.',
  },
  minFreeDiskMb: {
    value: 1_024,
    setting: 'DISK_LEAST_MB',
    reason:
      'Free megabytes on the disk of DATA_DIR below which the log, /health/ready, /metrics and "dossier doctor" report that it is nearly full. A hundred of the largest files still fit, so there is time to make room.',
  },
  tombstoneDays: {
    value: 400,
    setting: 'TOMBSTONE_DAYS',
    reason:
      'How long it is noted beside the files what was erased, withdrawn or revoked: longer than the oldest backup is kept, so that nothing comes back with one.',
  },
  auditMonths: {
    value: 24,
    setting: 'AUDIT_MONTHS',
    reason:
      'Months of the audit log that are kept besides the current one. Whole months are dropped; their seals stay, so that the chains can be verified.',
  },
  adVersionMonths: {
    value: 36,
    setting: 'AD_VERSION_MONTHS',
    reason:
      'Months of 31 days for which a version of a job ad is kept after another one has replaced it: three years, as Ontario demands, so AD_RULES=ontario needs at least 36. The newest is kept as long as the ad.',
  },
  blobAnswerMs: {
    value: 30_000,
    setting: 'BLOBS_ANSWER_MS',
    // Uploads wait for S3, and proxies give up after a minute.
    max: 50_000,
    reason:
      'How long S3 may take for one response, including the upload of a 5 MiB part: at least 170 kB per second. Smaller uploads have less time, down to blobSilentMs for calls without content.',
  },
  blobStallMs: {
    value: 10_000,
    setting: 'BLOBS_STALL_MS',
    max: 50_000,
    reason:
      'How long S3 may stall in the middle of a file before the rest is requested again; after two stalls in a row the download fails.',
  },
  blobAttempts: {
    value: 5,
    setting: 'BLOBS_ATTEMPTS',
    max: 20,
    reason: 'Attempts per call to S3 on transient errors: with the pauses, about three seconds.',
  },
  blobRetryMs: {
    value: 20_000,
    setting: 'BLOBS_RETRY_MS',
    max: 50_000,
    reason: 'A call that has failed for this long is not retried: a caller waits for the response.',
  },
  blobSockets: {
    value: 256,
    setting: 'BLOBS_SOCKETS',
    max: 10_000,
    reason:
      'Connections of one process to S3 for downloads, each of which holds one until its reader is done, and as many for everything else.',
  },
  backupHours: {
    value: 24,
    setting: 'BACKUP_HOURS',
    max: 8_760,
    reason: 'Hours between two backups to BACKUP_URL.',
  },
  backupKeep: {
    value: 14,
    setting: 'BACKUP_KEEP',
    max: 10_000,
    reason:
      'Backup sets to keep in a place. Data that was erased leaves the place with the last set that contains it.',
  },
  signedUrlSeconds: {
    value: 60,
    setting: 'SIGNED_URL_SECONDS',
    max: 3_600,
    reason:
      'With DOWNLOADS=redirect: lifetime of the signed address of a file, which works for anyone who has it. Clients follow it at once.',
  },
  readDays: {
    value: 365,
    setting: 'READS_DAYS',
    max: 3_650,
    reason: 'Days for which candidates see who has read their applications.',
  },
  draftDays: {
    value: 30,
    setting: 'DRAFT_DAYS',
    max: 365,
    reason: 'Days for which the draft of an application is kept, counted from the last save.',
  },
  eventDays: {
    value: 30,
    setting: 'EVENT_DAYS',
    max: 400,
    reason: 'Days for which events are kept. A program that follows them may be away for as long.',
  },
  webhooksAtOnce: {
    value: 64,
    setting: 'DELIVERIES_AT_ONCE',
    max: 1_000,
    reason:
      'Webhooks that a process sends at the same time. Half of them are only for endpoints that answer within two seconds, and one owner has at most an eighth, so that slow ones cannot delay the others. A webhook that takes longer no longer counts, up to four times as many.',
  },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof limits
export type Limits = Record<LimitName, number>

export const defaultLimits: Limits = Object.fromEntries(
  Object.entries(limits).map(([name, limit]) => [name, limit.value]),
) as Limits
