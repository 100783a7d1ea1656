/**
 * Every numeric bound of the service, each with its reason. Bounds that an operator may want to change are settings
 * (`setting`: the environment variable); the others are fixed.
 */
interface Limit {
  value: number
  reason: string
  setting?: string
  /** The smallest value of the setting; 1 unless given. */
  min?: number
  /** The largest value of the setting, where a larger one would do harm. */
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
  formFields: {
    value: 1_000,
    reason:
      'Fields of a form: the longest profile has 600. Parsing a field costs more than its bytes suggest.',
  },
  screenFormFields: {
    value: 64_000,
    reason:
      'Fields of the questionnaire form: 256 KiB of JSON hold 20,000 answers, each with an ID, a text and a tick.',
  },
  heldFormFields: {
    value: 2_000,
    reason:
      'Fields of a form that is shown again after its session ended: a page of half a megabyte at most.',
  },
  heldFormBytes: {
    value: 256 * kib,
    reason:
      'Size of a form that the sign-in page carries for a person who was signed out: a long apply form fits.',
  },
  jobAdFormBytes: {
    value: 256 * kib,
    reason: 'Size of the job ad form: the longest description, with each character encoded as nine.',
  },
  screenFormBytes: {
    value: 2 * kib * kib,
    reason:
      'Size of the questionnaire form: everything that intake accepts in 256 KiB of JSON, with each byte encoded as three and the field names repeated for each answer.',
  },
  applyFormBytes: {
    value: 4 * kib * kib,
    reason: 'Text of an apply form: 200 answers of two pages each.',
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
  proofSeconds: {
    value: 900,
    reason:
      'What is dangerous wants a proof of identity of the last 15 minutes: long enough for a series of changes, short enough that an unattended browser opens little.',
  },
  secondStepSeconds: {
    value: 600,
    reason:
      'After the password, a person has ten minutes to find the phone and enter a code; a page has as long to use a passkey.',
  },
  passkeysPerAccount: {
    value: 20,
    reason: 'One for each device, and some security keys. More would make the list useless.',
  },
  recoveryCodes: {
    value: 10,
    reason: 'Recovery codes that are shown at once. Ten, as everywhere, fit on a piece of paper.',
  },
  wholeListsPerCredential: {
    value: 4,
    setting: 'WHOLE_LISTS_PER_CREDENTIAL',
    reason: 'Lists without limit that one credential may stream at once; the next gets 429.',
  },
  shutdownGraceSeconds: {
    value: 10,
    setting: 'SHUTDOWN_GRACE_SECONDS',
    // Node's timers hold 24 days; a longer one would fire at once.
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
  workerPauseMs: {
    value: 500,
    reason:
      'Pause before replacing a worker that died soon after its start; it doubles each time. A worker that lived longer than the longest pause is replaced at once.',
  },
  workerPauseMostMs: {
    value: 30_000,
    reason:
      'The longest of these pauses: after an outage of the database, workers are back within half a minute.',
  },
  workerEndMs: {
    value: 5_000,
    reason:
      'How long a worker may take beyond the grace period before it is killed: it has files and connections to close.',
  },
  workerFiguresMs: {
    value: 1_000,
    reason: 'How long /metrics waits for a worker; a slower one is counted with its last known figures.',
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
  codeAttempts: {
    value: 10,
    reason: "Failed attempts after which a code is revoked: the code's own client does not need to guess.",
  },
  tokenLength: {
    value: 200,
    reason: 'Bearer tokens up to this length are looked up; ours have 47 characters.',
  },
  linkSeconds: { value: 1_800, reason: 'Lifetime of a link in an email: half an hour.' },
  passwordLength: {
    value: 200,
    reason: 'A passphrase fits; hashing longer ones would let attackers cause work.',
  },
  passwordLeast: { value: 10, reason: 'Minimum characters of a password. Length matters most.' },
  clientIdLength: { value: 64, reason: 'People choose and type the IDs of clients.' },
  redirectUriLength: { value: 2_000, reason: 'The longest URL that every browser accepts.' },
  redirectUris: { value: 50, reason: 'Redirect URIs of one client.' },
  formUrlLength: { value: 2_000, reason: 'The longest URL that every browser accepts.' },
  postalCodeLength: { value: 20, reason: 'The longest postal codes have 10 characters.' },
  disclosuresShown: {
    value: 50,
    reason: 'Disclosures on one page of the list; a link leads to older ones.',
  },
  holdersShown: {
    value: 50,
    reason: "Companies listed on the page of a candidate's applications, the latest first.",
  },
  skills: { value: 100, reason: 'Skills in one profile.' },
  workHistory: { value: 50, reason: 'Jobs in one profile.' },
  countries: { value: 30, reason: 'Countries with salary and work rights in one profile.' },
  resumes: { value: 20, reason: 'Resumes of one candidate.' },
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
  applicationsShown: {
    value: 20,
    reason: "A candidate's applications on one page of the list; a link leads to older ones.",
  },
  documentParts: {
    value: 2_000,
    reason: 'Files in one docx archive; a report with hundreds of pictures has half as many.',
  },
  documentBytes: {
    value: 100 * kib * kib,
    reason: 'Unpacked size of a docx; a larger one is a zip bomb, not a resume.',
  },
  salary: { value: 100_000_000, reason: 'The largest minimum salary, in any currency.' },
  signInDelaySeconds: {
    value: 900,
    reason: 'The longest delay after wrong passwords: no one is locked out permanently.',
  },
  signInFreeFailures: {
    value: 5,
    reason: 'Wrong passwords for one account before delays begin: people mistype and try old passwords.',
  },
  signInFreeFailuresPerAddress: {
    value: 30,
    reason: 'The same from one network address, which a whole office or campus may share.',
  },
  signInFailuresForgottenSeconds: {
    value: 86_400,
    reason: 'After a day without a wrong password, the count starts again.',
  },
  knownBrowserSeconds: {
    value: 180 * 86_400,
    reason:
      "For half a year, a browser that has signed in to an account is not delayed by others' wrong passwords.",
  },
  sessionUsedEverySeconds: {
    value: 3_600,
    reason:
      'How often the last-used time of a session is written at most, so that reads do not cause writes.',
  },
  accountFormsPerAddressPerMinute: {
    value: 30,
    setting: 'RATE_LIMIT_ACCOUNT_FORMS_PER_ADDRESS_PER_MINUTE',
    reason: 'Sign-ups and password resets per minute and network address: each may send an email.',
  },
  mailsPerHour: {
    value: 5,
    reason: 'Emails of one kind to one address per hour: the forms must not be usable to flood an inbox.',
  },
  newAddressesPerMinute: {
    value: 5,
    reason: 'New email addresses that one candidate may enter per minute: each gets an email.',
  },
  scanMs: {
    value: 30_000,
    setting: 'SCAN_MS',
    // Uploads wait for it, and proxies give up after a minute.
    max: 50_000,
    reason:
      'How long an upload waits for the verdict; after that the file is accepted unscanned and scanned later.',
  },
  scanConnectMs: {
    value: 2_000,
    reason:
      'How long to wait for a connection to clamd, and for its self-test while it fails: uploads must not hang because a scanner is down.',
  },
  scansAtOnce: {
    value: 8,
    setting: 'SCANS_AT_ONCE',
    reason: 'Files sent to clamd at once; clamd has ten threads by default. Other files wait their turn.',
  },
  scannerProofSeconds: {
    value: 600,
    reason:
      'How long a successful self-test of clamd stays valid. It costs a scan of the largest file. A restart of clamd invalidates it at once.',
  },
  scannerRetrySeconds: {
    value: 5,
    reason: 'How long to wait before trying a failed clamd again.',
  },
  rescanEverySeconds: {
    value: 30,
    setting: 'RESCAN_SECONDS',
    max: 86_400,
    reason:
      'How often unscanned files are scanned again; also the Retry-After of a download that is held back.',
  },
  rescansAtOnce: {
    value: 3,
    reason: 'Files scanned again at once: most of SCANS_AT_ONCE is left for uploads, which people wait for.',
  },
  rescanPauseSeconds: {
    value: 3_600,
    reason: 'The longest pause before retrying a file that clamd does not judge.',
  },
  rescansRemembered: {
    value: 10_000,
    reason: 'Files whose next retry a process remembers: about a megabyte.',
  },
  rescanPage: { value: 100, reason: 'Files without a verdict read from the database at once.' },
  expiryEverySeconds: {
    value: 600,
    setting: 'EXPIRY_SECONDS',
    max: 86_400,
    reason:
      'How often expired codes, tokens, sessions and the like are removed. They are rejected in any case.',
  },
  digestEverySeconds: {
    value: 60,
    reason: 'How often members of companies are due for an email about new applications.',
  },
  digestPauseSeconds: {
    value: 900,
    reason: 'Emails about new applications are sent to a member every 15 minutes at most.',
  },
  digestBatch: {
    value: 200,
    reason: 'Members who are due for an email about new applications, queued in one transaction.',
  },
  erasureEverySeconds: {
    value: 600,
    setting: 'ERASURE_SECONDS',
    max: 86_400,
    reason: 'How often applications are erased that have become due.',
  },
  erasureBatch: {
    value: 100,
    reason: 'Applications to erase read at once; each is erased in its own transaction.',
  },
  holdReasonLength: { value: 1_000, reason: 'Why an application is on hold: a paragraph.' },
  ownDataPage: {
    value: 100,
    reason: "Rows read at once for the download of a person's data: some hundred kilobytes.",
  },
  ownDataPerHour: {
    value: 10,
    reason: 'Data downloads per candidate and hour: each reads every file of the candidate.',
  },
  recipientsShown: {
    value: 50,
    reason: 'Companies named on the page that deletes an account; the data download lists all.',
  },
  expiryBatch: {
    value: 500,
    reason: 'Rows removed in one statement: it holds the shared write lock for some milliseconds.',
  },
  unconfirmedAccountSeconds: {
    value: 86_400,
    reason: 'Accounts that are not confirmed within a day are removed once no link to confirm them is valid.',
  },
  cleanUpEverySeconds: {
    value: 600,
    setting: 'CLEAN_UP_SECONDS',
    max: 86_400,
    reason: 'How often the bytes of deleted files and broken uploads are removed.',
  },
  cleanUpWindowSeconds: {
    value: 86_400,
    reason:
      'How long after its day an upload without a reference is kept. A request may take minutes between storing a file and referring to it.',
  },
  cleanUpBatch: { value: 200, reason: 'Files checked and removed at once: a short burst of disk work.' },
  leaseSeconds: {
    value: 120,
    reason:
      'Another process takes over the task of a dead one after this time. It is longer than the longest batch: files that wait for their verdict as long as allowed.',
  },
  mailConnectMs: { value: 10_000, reason: 'How long to wait for the mail server.' },
  mailAnswerMs: {
    value: 60_000,
    reason: 'How long to wait for the answer to an email: some servers scan it first.',
  },
  deliveriesEverySeconds: {
    value: 30,
    setting: 'DELIVERIES_SECONDS',
    max: 3_600,
    reason: 'How often emails are retried that could not be sent at once, or whose process died.',
  },
  deliveriesAtOnce: {
    value: 8,
    reason: 'Emails that a process sends at the same time: each has a connection to the mail server.',
  },
  deliveryAttemptSeconds: {
    value: 120,
    reason:
      'An attempt to deliver is cut off after this time, for instance at a server that answers too slowly.',
  },
  deliveryClaimSeconds: {
    value: 300,
    reason:
      'How long one process alone may deliver an email that it has claimed. It is longer than an attempt, and the wait after a process has died.',
  },
  deliveryWaitSeconds: {
    value: 15,
    reason: 'How long other background work waits for deliveries; they go on beside it.',
  },
  deliveryKeptDays: {
    value: 7,
    setting: 'DELIVERIES_KEPT_DAYS',
    max: 90,
    reason:
      'How long "dossier mail list" shows emails that were sent or given up. Their text is never stored.',
  },
  demoFlows: { value: 1_000, reason: "Applications in progress on the demo's careers page." },
  demoFlowSeconds: { value: 1_800, reason: "Time to sign in, decide and fill in the demo's form." },
  clientAnswerMs: {
    value: 15_000,
    reason: 'How long our own clients, such as the demo, wait for a response.',
  },
  pageSize: { value: 1_000, reason: 'The largest limit of a list page; such a page stays well below 2 MB.' },
  streamChunk: {
    value: 200,
    reason:
      'Applications read at once while a whole list is streamed: about 200 kB. 500 were a fifth faster, but the process needed half as much memory again.',
  },
  exportChunk: {
    value: 128,
    reason:
      'Applications read at once for a CSV export: about two milliseconds, during which SQLite serves no other query. 200 were a tenth faster.',
  },
  credentialLength: {
    value: 200,
    reason: 'Credentials up to this length are looked up; ours have 56 characters.',
  },
  lastUsedEverySeconds: {
    value: 60,
    reason:
      'How often the last-used time of a credential is written at most, so that reads do not cause writes.',
  },
  connectionIdleSeconds: {
    value: 60,
    reason:
      'A connection without traffic in either direction during a response is closed after this time: stalled readers must not hold slots forever.',
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
  keepAliveSeconds: {
    value: 72,
    reason:
      'How long idle connections stay open: longer than the 60 seconds common in proxies, so that the proxy closes first.',
  },
  headersArriveSeconds: {
    value: 20,
    reason: 'Time for the request line and headers to arrive: prevents slow-loris attacks.',
  },
  requestArrivesSeconds: {
    value: 300,
    reason: 'Time for a whole request to arrive: 10 MiB over a slow mobile connection.',
  },
  rateLimitKeys: {
    value: 100_000,
    reason: 'Addresses that a rate limit counts separately; further ones share one count. Bounds memory.',
  },
  rateCountMs: {
    value: 1_000,
    reason:
      'How often a node shares its counts: a limit across nodes costs one write per second, not one per request.',
  },
  rateCountWaitMs: {
    value: 3_000,
    reason:
      "How long a request waits for the other nodes' counts; after that each node counts for itself until the database responds.",
  },
  rateCountRows: {
    value: 500,
    reason: 'Counts written in one statement: it holds the shared write lock for some milliseconds.',
  },
  slotLeaseSeconds: {
    value: 30,
    reason:
      'The slot of a node that dies during a whole list or an export is free after this time. Running ones renew theirs three times within it.',
  },
  intakeClaimSeconds: {
    value: 600,
    reason:
      'How long a request may hold its Idempotency-Key: it may take five minutes to arrive, and its three files wait for the scanner.',
  },
  intakeLeaseSeconds: {
    value: 15,
    reason:
      'The Idempotency-Keys of a dead node are free after this time. Running requests renew theirs three times within it.',
  },
  intakeKeySeconds: {
    value: 86_400,
    reason: 'Lifetime of an Idempotency-Key and of the response saved with it.',
  },
  idempotencyKeyLength: { value: 255, reason: 'A UUID has 36 characters; this leaves ample room.' },
  retryAfterSeconds: { value: 5, reason: 'Retry-After of a 503.' },
  unscannedRetryAfterSeconds: {
    value: 30,
    reason: 'Retry-After of the download of a file that has not been judged yet.',
  },
  busyWaitMs: {
    value: 10_000,
    reason: 'How long a write waits for another process to release the SQLite file before it gets 503.',
  },
  lockWaitMs: {
    value: 3_000,
    reason:
      'How long a write on PostgreSQL waits for a locked row before it gets 503. Our transactions hold locks for milliseconds; a waiting write occupies a connection.',
  },
  transactionIdleMs: {
    value: 5_000,
    reason:
      'When PostgreSQL ends an idle transaction. Ours never pause between statements, so the node has vanished or hangs, and others wait for its locks.',
  },
  connectMs: {
    value: 5_000,
    reason: 'How long a request waits for a PostgreSQL connection before it gets 503.',
  },
  answerMarginMs: {
    value: 5_000,
    reason:
      'How long to wait for a response of PostgreSQL beyond the statement timeout: a server that is silent by then is gone.',
  },
  connectionSeconds: {
    value: 600,
    reason:
      'How long a PostgreSQL connection is used: after this time no connection remains to a server that the address no longer names.',
  },
  clockToleranceMs: {
    value: 2_000,
    reason:
      'How far the clocks of a node and of PostgreSQL may differ before the log and "dossier doctor" report it. Synchronised clocks differ by milliseconds; no code, session or window is so short that two seconds matter.',
  },
  clockLookMs: {
    value: 1_000,
    reason:
      'How often the service compares the system clock with a monotonic one: applications that arrive between a jump and its detection get the wrong date.',
  },
  settleBatch: {
    value: 200,
    reason:
      'Applications that "dossier clock settle" dates in one transaction: it holds the ledger row only briefly.',
  },
  clockMostMs: {
    value: 60_000,
    reason:
      'How far the clocks of a node and of PostgreSQL may differ before background work stops removing things by age. Everything that must not be removed early, such as an idempotency key, lives for half an hour or longer.',
  },
  diskLeastMb: {
    value: 1_024,
    setting: 'DISK_LEAST_MB',
    reason:
      'Free megabytes on the disk of DATA_DIR below which the log, /health/ready, /metrics and "dossier doctor" report that it is nearly full. A hundred of the largest files still fit, so there is time to make room.',
  },
  idsRaisedBy: {
    value: 100_000,
    reason:
      'IDs skipped on PostgreSQL after a failover or a restored backup, which may have lost some that were assigned. At a thousand applications per second, a standby that is a minute behind lacks fewer.',
  },
  idBlock: {
    value: 10_000,
    reason:
      'IDs between two notes of the ceiling beside the files, and so the most that a process skips after a crash. One small write for each block.',
  },
  nodeSignSeconds: {
    value: 15,
    reason:
      'How often a process signs in the database that it is running, so that a start can tell a crash from a copy.',
  },
  nodeFreshSeconds: {
    value: 40,
    reason:
      'How old the last sign of a running process may be: two missed ones and a pause. An operator needs longer to put a copy back and start.',
  },
  migrationLockMs: {
    value: 500,
    reason:
      'How long a migration on PostgreSQL waits for a table that others use. Requests wait behind it, and PostgreSQL looks for deadlocks after a second.',
  },
  migrationPauseMs: {
    value: 500,
    reason: 'How long it lets requests pass before it tries again.',
  },
  migrationTries: {
    value: 600,
    reason: 'How often it tries: for ten minutes. A report or a backup that reads all tables takes minutes.',
  },
  upgradeCopyDays: {
    value: 7,
    reason:
      'How long the copy of an SQLite database is kept that is made before it is migrated: time to notice that the new release does not suit. It holds what was erased since.',
  },
  uncleanStopSeconds: {
    value: 120,
    reason:
      'A process that did not stop in an orderly way and gave its last sign longer ago may be part of a snapshot of the whole machine: IDs are skipped. A crash is followed by a start sooner.',
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
  auditAddressDays: {
    value: 90,
    reason:
      'Days after which network addresses are removed from the audit log: long enough to look into an incident.',
  },
  auditEverySeconds: {
    value: 21_600,
    reason:
      'How often background work logs the heads of the audit log, notes them beside the files, and drops what is over.',
  },
  dataChangesEverySeconds: {
    value: 60,
    reason:
      'How often background work looks for rows to change after a migration: sooner than a process that stopped counts as gone, so that one that writes the old form is noticed.',
  },
  tombstonesEverySeconds: {
    value: 60,
    reason:
      'How often background work notes beside the files what could not be noted at once, because they were unavailable.',
  },
  restoredKeepDays: {
    value: 7,
    reason:
      'How long after a restore files without a row are kept: time to notice that the wrong backup was restored.',
  },
  idsRaisedMost: {
    value: 1_000_000_000,
    reason:
      'The most IDs that "dossier ids raise" skips: it cannot be undone, and no board has lost as many.',
  },
  replicaWaitMs: {
    value: 1_000,
    reason:
      'How long a read waits for the replica before it uses the primary, separately for a connection, the statement and the round trip.',
  },
  replicaPauseMs: {
    value: 5_000,
    reason: 'How long to wait before trying a failed replica again.',
  },
  databaseCloseMs: {
    value: 2_000,
    reason: 'How long a stopping process waits for queries that PostgreSQL does not answer.',
  },
  blobConnectMs: {
    value: 5_000,
    reason: 'How long to wait for a connection to S3, including the wait for a free one of BLOBS_SOCKETS.',
  },
  blobAnswerMs: {
    value: 30_000,
    setting: 'BLOBS_ANSWER_MS',
    // Uploads wait for it, and proxies give up after a minute.
    max: 50_000,
    reason:
      'How long S3 may take for one response, including the upload of a 5 MiB part: at least 170 kB per second. Smaller uploads have less time, down to blobSilentMs for calls without content.',
  },
  blobSilentMs: {
    value: 10_000,
    reason:
      'How long S3 may take to answer a call without content, such as the start of a download. It is tried twice within BLOBS_RETRY_MS, so a store that accepts connections but stays silent is given up after 20 seconds.',
  },
  blobStoreMs: {
    value: 50_000,
    reason:
      'How long S3 may take to finish an upload after its last byte has arrived. Together with blobTakeBackMs it is less than the minute after which a silent connection is closed, so the caller still receives the 503.',
  },
  blobTakeBackMs: {
    value: 5_000,
    reason:
      'How long the response to a failed upload waits for S3 to remove the parts; after that the removal goes on in the background.',
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
  blobFirstPauseMs: {
    value: 200,
    reason:
      'The longest first pause before a retry of S3, doubled each time; the actual pause is a random part of it, so that nodes do not retry all at once.',
  },
  blobResumes: {
    value: 10,
    reason: 'How often the rest of one file is requested again: a connection that breaks more often is down.',
  },
  blobSockets: {
    value: 256,
    setting: 'BLOBS_SOCKETS',
    max: 10_000,
    reason:
      'Connections of one process to S3 for downloads, each of which holds one until its reader is done, and as many for everything else.',
  },
  blobPartBytes: {
    value: 5 * kib * kib,
    reason:
      'Size of a part of a multipart upload: the minimum of S3. Files up to this size are sent in one request.',
  },
  moveBatch: {
    value: 100,
    reason: 'Files that `blobs move` copies before it checks which of them are still referenced.',
  },
  movesAtOnce: { value: 8, reason: 'Files that `blobs move` copies in parallel, beside the uploads.' },
  moveFailures: {
    value: 16,
    reason: 'Consecutive failures after which `blobs move` ends, because the next file would fail too.',
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
  backupLookSeconds: {
    value: 60,
    reason: 'How often a process looks whether a backup to BACKUP_URL is due.',
  },
  backupRetrySeconds: {
    value: 900,
    reason: 'How long to wait after a backup that failed: each attempt copies the whole database.',
  },
  backupPage: { value: 1_000, reason: 'Names of files read at once for a backup: some hundred kilobytes.' },
  backupFilesAtOnce: { value: 8, reason: 'Files that a backup or restore copies in parallel.' },
  backupRows: {
    value: 2_000,
    reason: 'Rows that a restore writes to PostgreSQL in one statement, unless they are large.',
  },
  signedUrlSeconds: {
    value: 60,
    setting: 'SIGNED_URL_SECONDS',
    max: 3_600,
    reason:
      'With DOWNLOADS=redirect: lifetime of the signed address of a file, which works for anyone who has it. Clients follow it at once.',
  },
  advertiserId: {
    value: 9_999_999_999,
    reason: 'The largest ID that an operator may choose, so that there is always a next free one.',
  },
  nameLength: { value: 200, reason: 'First name, last name, job title, company, file labels.' },
  emailLength: { value: 254, reason: 'The longest address that SMTP can carry.' },
  phoneLength: { value: 50, reason: 'Room for country code, extension and remarks such as "after 5 pm".' },
  referenceLength: { value: 200, reason: "The advertiser's own reference for an ad." },
  longTextLength: { value: 10_000, reason: 'Question and answer texts.' },
  screenQuestions: { value: 200, reason: 'Questions in one questionnaire.' },
  screenAnswers: { value: 200, reason: 'Answers to choose from in one question.' },
  questionIdLength: { value: 50, reason: 'The ID of a question or an option, when the caller chooses it.' },
  urlAnswerLength: { value: 2_000, reason: 'The longest URL that every browser accepts.' },
  jobDescriptionLength: { value: 20_000, reason: 'The text of a job ad: ten printed pages.' },
  searchLength: {
    value: 200,
    reason: 'Characters of a search: the longest title fits, and more text does not improve the results.',
  },
  searchWords: { value: 10, reason: 'Words of a job search; each is looked for in every ad.' },
  homeJobs: { value: 6, reason: 'Newest jobs on the front page: a screenful.' },
  homeCompanies: { value: 6, reason: 'Companies beside them.' },
  jobsCounted: { value: 1_000, reason: 'Open jobs that a search counts; beyond it says "more than".' },
  jobsOfCompanyShown: { value: 4, reason: "Further jobs of the same company below a candidate's job." },
  sitemapJobs: {
    value: 10_000,
    reason: 'Jobs in the sitemap, the newest ones. Search engines accept 50,000.',
  },
  jobAdsShown: { value: 20, reason: 'Job ads on one page of the list for candidates.' },
  postingsShown: { value: 20, reason: "Job ads or questionnaires on one page of an advertiser's own list." },
  screensOffered: {
    value: 200,
    reason:
      'Questionnaires to choose from in the form of an ad, the newest; the page of an older one offers it.',
  },
  adsNamed: { value: 5, reason: 'Ads that are named when their questionnaire is about to change.' },
  intakePageSize: { value: 100, reason: 'Entries on a page of the intake lists when limit is not sent.' },
  intakePageLength: {
    value: 1_000_000,
    reason: 'Characters after which a page ends: a questionnaire may have 700,000.',
  },
  intakeReadAtOnce: {
    value: 10,
    reason: 'Entries read at once for a page: ten questionnaires may have 7 MB.',
  },
  monthsInRole: { value: 1_200, reason: 'A hundred years.' },
  invitationSeconds: {
    value: 7 * 86_400,
    reason: 'Lifetime of an invitation to an advertiser: people may be away for a few days.',
  },
  invitationsPerHour: {
    value: 60,
    reason:
      'Invitations per advertiser and hour: a form that sends email to any address must not be usable to flood inboxes.',
  },
  peoplePerAdvertiser: {
    value: 200,
    reason: 'People of one advertiser, including open invitations: they are shown on one page.',
  },
  consoleApplicationsShown: {
    value: 25,
    reason: "Applications on one page of an advertiser's table: one screenful, 20 kB.",
  },
  consoleApplicationsCounted: {
    value: 1000,
    reason:
      'Applications counted for the number above the table and the position of an application; beyond it, pages say "more than".',
  },
  consoleRelatedShown: {
    value: 5,
    reason: 'Other applications of the same person beside an application; a link leads to all of them.',
  },
  consoleAdsOffered: {
    value: 100,
    reason:
      'Ads to choose from above the table of applications, the newest: 6 kB of a page. The list of ads leads to the applications of any ad.',
  },
  visitSeconds: {
    value: 30 * 60,
    reason:
      'A visit to the overview or the applications of a company ends after this time: what arrived since the visit before is new.',
  },
  consoleOverviewAds: { value: 8, reason: 'Newest job ads on the overview of a company.' },
  noteLength: { value: 5_000, reason: 'A note on an application: two printed pages.' },
  historyMost: {
    value: 1_000,
    reason:
      'Notes and changes of status of one application: with notes of full length 5 MB. Withdrawals, holds and documents are always recorded.',
  },
  historyShown: { value: 100, reason: 'The newest notes and changes that the page of an application shows.' },
  applicationsChosen: {
    value: 100,
    reason: 'Applications whose status one form changes, or whose files one archive holds.',
  },
  searchTextLength: { value: 200, reason: 'A name, an address or a reference to search for.' },
  searchLook: {
    value: 30_000,
    reason: 'Search terms examined at once: up to this number every match is found within some milliseconds.',
  },
  searchWindow: {
    value: 2_000,
    reason:
      'Applications that a search examines one by one: a search that matches more than searchLook of a million has filled a page by then.',
  },
  exportsPerSession: {
    value: 2,
    reason: 'Exports that one session may run at once; the next is asked to wait.',
  },
  previewTextBytes: {
    value: 512 * kib,
    reason: 'Bytes of a text file shown in the page: a hundred printed pages.',
  },
  previewCharacters: {
    value: 150_000,
    reason:
      'Characters of a Word or RTF file shown in the page: fifty printed pages. Escaping them takes the process some milliseconds.',
  },
  previewNodes: {
    value: 5_000,
    reason:
      'Paragraphs, table cells and stretches of one style of a Word or RTF file shown in the page; a resume has some hundred. Rendering them takes the process some milliseconds.',
  },
  previewFileBytes: {
    value: 10 * kib * kib,
    reason:
      'Size of a Word or RTF file that is shown as text. Its conversion holds all of it in memory, and most of a larger one would be pictures.',
  },
  previewUnpackedBytes: {
    value: 4 * kib * kib,
    reason:
      'Unpacked text, styles and lists of a docx that is shown. A hundred pages have half as much, and reading them takes up to fifty times as much memory.',
  },
  previewMs: {
    value: 15_000,
    reason:
      'How long the conversion of a Word or RTF file may take. Resumes take a fraction of a second; a file that takes longer is probably an attack.',
  },
  previewMemoryMb: {
    value: 128,
    reason:
      'Heap of the process that converts a Word or RTF file; a resume needs a tenth. A file that needs more ends its own process and can only be downloaded.',
  },
  previewsAtOnce: {
    value: 2,
    reason:
      'Conversions at once: each is a process that takes a whole processor core, which requests need too. One person never has more than one.',
  },
  previewsWaiting: {
    value: 32,
    reason:
      'Conversions that wait for their turn, for a few seconds; more get 503. Their files have not been opened yet.',
  },
  previewsPerPerson: {
    value: 6,
    reason: 'Conversions that wait for one person: two pages with three files each.',
  },
  newReceiptSeconds: {
    value: 600,
    reason: 'How long the receipt of an application says that it was just sent.',
  },
  sentFormSeconds: {
    value: 86_400,
    reason: 'How long a sent form is remembered, to recognise a second submission.',
  },
  sentFormLooks: {
    value: 50,
    reason:
      'How often the second submission of a form checks whether the first has ended, ten times per second.',
  },
  usageFlushSeconds: {
    value: 10,
    reason:
      'How long calls of version 1 are counted in memory before they are written; a killed node loses these counts.',
  },
  usageFlushRows: {
    value: 500,
    reason: 'Counts written in one transaction: it holds the shared write lock for some milliseconds.',
  },
  readFlushSeconds: {
    value: 5,
    reason:
      'How long reads of applications by programs are gathered in memory before they are written; a killed node loses them.',
  },
  readFlushRows: {
    value: 500,
    reason: 'Reads written in one transaction: it holds the shared write lock for some milliseconds.',
  },
  readsInMemory: {
    value: 10_000,
    reason:
      'Reads by programs that one process remembers, about 2 MB, so that the same read is written once a day. Then it forgets them all and may write some again.',
  },
  readDays: {
    value: 365,
    setting: 'READS_DAYS',
    max: 3_650,
    reason: 'Days for which candidates see who has read their applications.',
  },
  eventDays: {
    value: 30,
    setting: 'EVENT_DAYS',
    max: 400,
    reason: 'Days for which events are kept. A program that follows them may be away for as long.',
  },
  eventPageDefault: { value: 100, reason: 'Events of a page of the feed, unless `limit` says otherwise.' },
  eventsShown: { value: 50, reason: "Events on one page of an advertiser's log." },
  eventWaitSeconds: {
    value: 50,
    reason:
      'The longest time that a request may wait for events. Proxies cut a silent connection after 60 seconds, and so do we.',
  },
  eventWaitTickMs: {
    value: 250,
    reason:
      'Waits end at multiples of this time: one wake-up of the process serves dozens of the thousands that may wait, and none for more than some milliseconds.',
  },
  eventLookSeconds: {
    value: 1,
    reason: 'How often waiting requests look for events that no hint has told of.',
  },
  eventLookHeardSeconds: {
    value: 15,
    reason: 'The same while the database tells of changes by other processes, and a hint is seldom lost.',
  },
  hintGatherMs: {
    value: 10,
    reason:
      'How long the changes of a process are gathered before others are told: a hundred messages a second at most, which cost the writes nothing.',
  },
  fileLookMs: {
    value: 100,
    reason:
      'On SQLite, how often a process with waiting requests looks whether another one has written: 5 µs each.',
  },
  listenCheckSeconds: {
    value: 15,
    reason: 'On PostgreSQL, how often a process that listens checks that it hears its own notifications.',
  },
  listenAnswerMs: {
    value: 2_000,
    reason: 'How long its own notification may take before the process connects again.',
  },
  listenPauseMs: {
    value: 500,
    reason: 'The first pause before another attempt to listen, doubled each time.',
  },
  listenPauseMostMs: { value: 30_000, reason: 'The longest such pause.' },
  waitingPerCredential: {
    value: 8,
    reason: 'Requests of one credential that may wait for events at once on a node.',
  },
  waitingPerProcess: {
    value: 8_000,
    reason: 'Requests that may wait for events at once in a process. More are answered at once.',
  },
  webhooksAtOnce: {
    value: 64,
    setting: 'DELIVERIES_AT_ONCE',
    max: 1_000,
    reason:
      'Webhooks that a process sends at the same time. Half of them are only for endpoints that answer within two seconds, so that slow ones cannot delay the others.',
  },
  lanesPerEndpoint: {
    value: 8,
    reason:
      'Webhooks sent to one endpoint at the same time, each for another advertiser or replay: those of one advertiser follow each other.',
  },
  webhooksPerAdvertiser: { value: 10, reason: 'Webhook endpoints of one advertiser.' },
  webhooksPerAgent: {
    value: 20,
    reason: 'Webhook endpoints of one agent. Each gets the events of every advertiser that authorises it.',
  },
  webhookUrlLength: { value: 2_000, reason: 'Length of the URL of a webhook endpoint.' },
  webhookDescriptionLength: { value: 200, reason: 'What a webhook endpoint is for: one line.' },
  webhookAttemptSeconds: {
    value: 15,
    reason:
      'Time for one webhook, from the look-up of the name to the end of the answer. The Standard Webhooks specification recommends 15 to 30 seconds.',
  },
  webhookConnectMs: { value: 5_000, reason: 'Time to connect to the receiver of a webhook.' },
  webhookConnectionSeconds: {
    value: 60,
    reason: 'How long a connection to a receiver is used: its address is judged for each new one.',
  },
  webhookAnswerBytes: {
    value: 4 * kib,
    reason: 'What is read of the answer to a webhook; the rest is cut off.',
  },
  webhookAnswerKept: {
    value: 512,
    reason: 'What the log of an endpoint shows of the answer to a failed webhook, if it is text.',
  },
  webhookLeaseSeconds: {
    value: 60,
    reason:
      'Another process goes on with the webhooks of a dead one after this time; longer than any attempt.',
  },
  webhookLookMs: {
    value: 1_000,
    reason: 'How often a process looks for webhooks that no hint has told of, or whose pause is over.',
  },
  webhookPage: { value: 100, reason: 'Events read at once to be sent as webhooks.' },
  webhookUnsaved: {
    value: 20,
    reason:
      'Accepted webhooks after which the progress is written: a process that is killed repeats at most as many.',
  },
  webhookSaveMs: { value: 250, reason: 'The progress of webhooks is also written after this time.' },
  webhooksLatePerSecond: {
    value: 50,
    reason:
      'Webhooks per second about events older than a minute: a receiver that is back after an outage is not flooded.',
  },
  webhookParked: {
    value: 1_000,
    reason:
      'Events of one endpoint that may step aside because the receiver refuses them; with more, it is an outage.',
  },
  webhookTestsPerMinute: { value: 10, reason: 'Tests of one webhook endpoint per minute.' },
  webhookOverlapHours: {
    value: 24,
    reason: 'How long the old key of an endpoint signs beside the new one, unless its owner says otherwise.',
  },
  webhookAttemptsShown: { value: 100, reason: 'Attempts, replays and parked events shown of one endpoint.' },
  webhookBehindCounted: {
    value: 1_000,
    reason: 'How far the events that an endpoint has still to get are counted.',
  },
  webhookUpkeepSeconds: {
    value: 60,
    reason: 'How often admins are told of failing webhook endpoints, and old attempts are removed.',
  },
  webhookLogDays: { value: 30, reason: 'Days for which failed webhooks and counts by hour are kept.' },
  webhookFailuresKept: { value: 10_000, reason: 'Failed webhooks kept of one endpoint.' },
  webhookSuccessesKept: {
    value: 100,
    reason: 'Accepted webhooks kept of one endpoint. Whether an event has arrived is told by the progress.',
  },
  usageDays: { value: 30, reason: 'Days on the charts of an advertiser or agent.' },
  agentCallDays: {
    value: 90,
    reason: 'Days for which the calls of agents by day, company and problem are kept.',
  },
  importLineBytes: {
    value: 256 * kib,
    reason:
      'Length of a line of an import, like a JSON body. Not a setting: a resumed import must find its lines in the same order.',
  },
  importBatch: {
    value: 500,
    reason:
      'Lines of an import stored in one transaction: they share one wait for the disk, and candidates who apply meanwhile do not wait long.',
  },
  pageCacheBytes: {
    value: 16 * kib * kib,
    reason: 'Memory per process for cached list pages and their compressed forms: 150 pages of 100.',
  },
  pageCacheSeconds: {
    value: 60,
    reason:
      'How long a list page stays cached when its advertiser makes no requests, so that erased data leaves the memory too.',
  },
  compressLeastBytes: {
    value: 1_400,
    reason: 'Smaller responses are not compressed: they fit into one packet either way.',
  },
  importFilesAtOnce: { value: 4, reason: 'Lines of an import whose files are read in parallel.' },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof limits
export type Limits = Record<LimitName, number>

export const defaultLimits: Limits = Object.fromEntries(
  Object.entries(limits).map(([name, limit]) => [name, limit.value]),
) as Limits
