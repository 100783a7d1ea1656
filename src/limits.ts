/**
 * Every numeric bound of the service, each with its reason. The ones an operator may want to move are
 * settings (`setting`: the name of the environment variable); the others are facts of the contract.
 */
interface Limit {
  value: number
  reason: string
  setting?: string
  /** The smallest value that the setting takes, where it is not 1. */
  least?: number
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
  v2PerMinute: {
    value: 3_000,
    setting: 'RATE_LIMIT_V2_PER_MINUTE',
    reason:
      'Requests a minute per token on version 2. A token belongs to one candidate; a client needs three.',
  },
  intakePerMinute: {
    value: 6_000,
    setting: 'RATE_LIMIT_INTAKE_PER_MINUTE',
    reason:
      'Requests a minute per client on intake. A job board brings the applications of all its candidates through one client.',
  },
  tokenPerMinute: {
    value: 600,
    setting: 'RATE_LIMIT_TOKEN_PER_MINUTE',
    reason: 'Requests a minute per client on the token endpoint: ten candidates a second.',
  },
  codesPerMinute: {
    value: 60,
    setting: 'RATE_LIMIT_CODES_PER_MINUTE',
    reason:
      'Codes a minute per sign-in and client. A candidate needs one for each application; a page that goes round in a circle makes thousands.',
  },
  authFailuresPerClientPerMinute: {
    value: 30,
    setting: 'RATE_LIMIT_AUTH_FAILURES_PER_CLIENT_PER_MINUTE',
    reason:
      'Failed authentications a minute per OAuth client. Only failures count, so the right secret works while others guess.',
  },
  authFailuresPerAddressPerMinute: {
    value: 60,
    setting: 'RATE_LIMIT_AUTH_FAILURES_PER_ADDRESS_PER_MINUTE',
    reason:
      'Failed authentications a minute per client address. Only failures count, so a right credential works while others guess.',
  },
  jsonBytes: {
    value: 256 * kib,
    setting: 'MAX_JSON_BYTES',
    reason: 'A JSON body; a prefill request has less than 10 KiB.',
  },
  formBytes: {
    value: 64 * kib,
    setting: 'MAX_FORM_BYTES',
    reason: 'A form body: the longest profile fits, and an authorization request of a whole URL.',
  },
  formFields: {
    value: 1_000,
    reason:
      'Fields of a form: the longest profile has 600. Each costs more to take apart than its bytes say.',
  },
  screenFormFields: {
    value: 64_000,
    reason:
      'Fields of the form of a questionnaire: 256 KiB of JSON hold 20,000 answers, each with an ID, a text and a tick.',
  },
  heldFormFields: {
    value: 2_000,
    reason: 'Fields of a form that is shown again to be sent once more: a page of half a megabyte at most.',
  },
  heldFormBytes: {
    value: 256 * kib,
    reason: 'A form whose sender was signed out, carried by the sign-in page: a long apply form fits.',
  },
  jobAdFormBytes: {
    value: 256 * kib,
    reason: 'The form of a job ad: the longest description, when each character is sent as nine.',
  },
  screenFormBytes: {
    value: 2 * kib * kib,
    reason:
      'The form of a questionnaire: whatever intake takes in 256 KiB of JSON, where each byte becomes three and each answer has the names of its fields.',
  },
  applyFormBytes: {
    value: 4 * kib * kib,
    reason: 'The text of an apply form: 200 answers of two pages each.',
  },
  fileBytes: {
    value: 10 * kib * kib,
    setting: 'MAX_FILE_BYTES',
    reason: 'A resume or another uploaded file.',
  },
  codeSeconds: {
    value: 300,
    setting: 'CODE_SECONDS',
    most: 600,
    reason: 'Life of an authorization code. RFC 6749 recommends ten minutes at most.',
  },
  tokenSeconds: {
    value: 1_200,
    setting: 'TOKEN_SECONDS',
    most: 86_400,
    reason: 'Life of an access token: time to fill in a form. There are no refresh tokens.',
  },
  consentDays: {
    value: 90,
    setting: 'CONSENT_DAYS',
    reason: 'A consent older than this is asked for again.',
  },
  sessionSeconds: {
    value: 14 * 86_400,
    setting: 'SESSION_SECONDS',
    reason: 'Life of a sign-in, whatever is done with it.',
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
  shutdownIdleMs: {
    value: 2_000,
    setting: 'SHUTDOWN_IDLE_MS',
    most: 60_000,
    reason:
      'How long connections without a request stay open after the last request has ended, within SHUTDOWN_GRACE_SECONDS. One that is in use more often than that gets an answer that ends it, so that no request meets a connection being closed.',
  },
  workerPauseMs: {
    value: 500,
    reason:
      'Pause before a worker is replaced that has died soon after its start; it doubles each time. One that has lived for longer than the longest pause is replaced at once.',
  },
  workerPauseMostMs: {
    value: 30_000,
    reason: 'The longest of these pauses: a database that is back is used half a minute later.',
  },
  workerEndMs: {
    value: 5_000,
    reason:
      'How much longer than the grace time a worker may take to end before it is killed: it has files and connections to close.',
  },
  workerFiguresMs: {
    value: 1_000,
    reason:
      'How long /metrics waits for a worker; one that is busier than that is counted with what it said the last time.',
  },
  databasePoolSize: {
    value: 20,
    setting: 'DATABASE_POOL_SIZE',
    least: 2,
    reason:
      'PostgreSQL connections of one process, each made when it is wanted: half for what writes, half for what reads, and one more while it migrates. As many again as for reading to DATABASE_REPLICA_URL. A server takes 97 by default, so four processes fit.',
  },
  statementTimeoutMs: {
    value: 30_000,
    setting: 'DATABASE_STATEMENT_TIMEOUT_MS',
    most: 3_600_000,
    reason:
      'What PostgreSQL gives a statement. None takes a second at a million applications; what takes half a minute is stuck, and a proxy gives up after one. Migrations may take as long as they take.',
  },
  codeAttempts: {
    value: 10,
    reason: 'Failed attempts on one code that end it: what is guessed at is not the client of the code.',
  },
  tokenLength: {
    value: 200,
    reason: 'Any bearer token up to this length is looked up; ours have 47 characters.',
  },
  linkSeconds: { value: 1_800, reason: 'Life of a link in a mail: half an hour.' },
  passwordLength: {
    value: 200,
    reason: 'A pass phrase fits; hashing more would be work for an attacker to give.',
  },
  passwordLeast: { value: 10, reason: 'Characters of a password. Length is what counts.' },
  clientIdLength: { value: 64, reason: 'The ID of a client is chosen by people and typed by people.' },
  redirectUriLength: { value: 2_000, reason: 'The longest URL that every browser takes.' },
  redirectUris: { value: 50, reason: 'Redirect URIs of one client.' },
  formUrlLength: { value: 2_000, reason: 'The longest URL that every browser takes.' },
  postalCodeLength: { value: 20, reason: 'The longest postal codes have 10 characters.' },
  disclosuresShown: {
    value: 50,
    reason: 'Disclosures on one page of the list; older ones follow by a link.',
  },
  holdersShown: {
    value: 50,
    reason: 'Companies with applications of a candidate on the page that tells of them, the latest first.',
  },
  skills: { value: 100, reason: 'Skills in one profile.' },
  workHistory: { value: 50, reason: 'Jobs in one profile.' },
  countries: { value: 30, reason: 'Countries with salary and work rights in one profile.' },
  resumes: { value: 20, reason: 'Resumes of one candidate.' },
  resumeUploadsPerHour: {
    value: 100,
    setting: 'RATE_LIMIT_RESUME_UPLOADS_PER_HOUR',
    reason:
      'Resumes that one candidate may upload in an hour: what is deleted stays on the disk until the clean-up comes.',
  },
  applicationsPerHour: {
    value: 60,
    setting: 'RATE_LIMIT_APPLICATIONS_PER_HOUR',
    reason:
      'Forms that one candidate may send in an hour, each with three files: nobody reads 60 ads in one.',
  },
  applicationsShown: {
    value: 20,
    reason: 'Own applications on one page of the list; older ones follow by a link.',
  },
  documentParts: {
    value: 2_000,
    reason: 'Files packed in one docx; a report with hundreds of pictures has half as many.',
  },
  documentBytes: {
    value: 100 * kib * kib,
    reason: 'What a docx may become when it is unpacked; anything beyond is a zip bomb, not a resume.',
  },
  salary: { value: 100_000_000, reason: 'The largest minimum salary, in whatever currency.' },
  signInDelaySeconds: {
    value: 900,
    reason: 'The longest that wrong passwords can keep an account waiting: nobody is locked out for good.',
  },
  signInFreeFailures: {
    value: 5,
    reason: 'Wrong passwords for one account before the waits begin: people mistype, and try their old ones.',
  },
  signInFreeFailuresPerAddress: {
    value: 30,
    reason: 'The same from one network address, which a whole office or campus may share.',
  },
  signInFailuresForgottenSeconds: {
    value: 86_400,
    reason: 'A day without a wrong password, and an account starts afresh.',
  },
  knownBrowserSeconds: {
    value: 180 * 86_400,
    reason:
      'A browser that has signed in to an account is not made to wait for the guessing of others, for half a year.',
  },
  sessionUsedEverySeconds: {
    value: 3_600,
    reason: 'The last-used time of a sign-in is written at most once in this time, so that reads stay reads.',
  },
  accountFormsPerAddressPerMinute: {
    value: 30,
    setting: 'RATE_LIMIT_ACCOUNT_FORMS_PER_ADDRESS_PER_MINUTE',
    reason: 'Sign-ups and forgotten passwords a minute per client address: each may send a mail.',
  },
  mailsPerHour: {
    value: 5,
    reason: 'Mails of one kind to one address in an hour: the forms must not become a way to flood somebody.',
  },
  newAddressesPerMinute: {
    value: 5,
    reason: 'New e-mail addresses that one candidate may ask for in a minute: each gets a mail.',
  },
  scanMs: {
    value: 30_000,
    setting: 'SCAN_MS',
    // An upload waits for it, and proxies give up after a minute.
    most: 50_000,
    reason: 'How long one file may wait for its verdict; after that it is taken unscanned and scanned later.',
  },
  scanConnectMs: {
    value: 2_000,
    reason:
      'How long to wait for a connection to clamd, and for a proof of it while it fails: an upload must not hang because of a scanner that is down.',
  },
  scansAtOnce: {
    value: 8,
    setting: 'SCANS_AT_ONCE',
    reason: 'Files under way to clamd at once, which has ten threads by default; the others wait their turn.',
  },
  scannerProofSeconds: {
    value: 600,
    reason:
      'How long a proof that clamd looks at everything stands. A restart ends it at once; it costs a scan of the largest file.',
  },
  scannerRetrySeconds: {
    value: 5,
    reason: 'A clamd that failed is tried again after this time, not sooner.',
  },
  rescanEverySeconds: {
    value: 30,
    setting: 'RESCAN_SECONDS',
    most: 86_400,
    reason:
      'How often files that were taken unscanned are scanned again: what a held download asks its caller to wait.',
  },
  rescansAtOnce: {
    value: 3,
    reason:
      'Files scanned again at once: the greater part of SCANS_AT_ONCE is left to uploads, which are waited for.',
  },
  rescanPauseSeconds: { value: 3_600, reason: 'The longest pause for a file that clamd does not judge.' },
  rescansRemembered: { value: 10_000, reason: 'Files whose next try a process remembers: about a megabyte.' },
  rescanPage: { value: 100, reason: 'Files without a verdict that are read from the database at once.' },
  expiryEverySeconds: {
    value: 600,
    setting: 'EXPIRY_SECONDS',
    most: 86_400,
    reason:
      'How often codes, tokens, sessions and the like that are over are removed. They are refused in any case.',
  },
  erasureEverySeconds: {
    value: 600,
    setting: 'ERASURE_SECONDS',
    most: 86_400,
    reason: 'How often applications whose time has come are erased. RETENTION_DAYS decides when that is.',
  },
  erasureBatch: {
    value: 100,
    reason: 'Applications to erase that are read at once; each is erased in a step of its own.',
  },
  ownDataPage: {
    value: 100,
    reason: 'Rows read at once for the download of all data: some hundred kilobytes.',
  },
  ownDataPerHour: {
    value: 10,
    reason: 'Downloads of all data by one candidate: each reads every file that they have.',
  },
  recipientsShown: {
    value: 50,
    reason: 'Names on the page that deletes an account; all of them are in the download.',
  },
  expiryBatch: {
    value: 500,
    reason: 'Rows removed in one statement: some milliseconds of the write lock that everybody shares.',
  },
  unconfirmedAccountSeconds: {
    value: 86_400,
    reason:
      'An account that nobody has confirmed within a day goes, once no link to confirm it is valid any more.',
  },
  cleanUpEverySeconds: {
    value: 600,
    setting: 'CLEAN_UP_SECONDS',
    most: 86_400,
    reason: 'How often the bytes of deleted files and of broken uploads are removed.',
  },
  cleanUpWindowSeconds: {
    value: 86_400,
    reason:
      'How long after its day an upload that nothing refers to is left alone. A request waits minutes between storing a file and referring to it.',
  },
  cleanUpBatch: { value: 200, reason: 'Files asked about, and removed, at once: a moment of the disk.' },
  leaseSeconds: {
    value: 120,
    reason:
      'A task whose process has died is taken over after this time. Longer than its longest batch: files that wait for a verdict as long as they may.',
  },
  mailConnectMs: { value: 10_000, reason: 'How long to wait for the mail server.' },
  demoFlows: { value: 1_000, reason: 'Applications under way on the careers page of the demo.' },
  demoFlowSeconds: { value: 1_800, reason: 'Time to sign in, decide and fill in the form of the demo.' },
  clientAnswerMs: {
    value: 15_000,
    reason: 'How long our own clients, such as the demo, wait for an answer.',
  },
  pageSize: { value: 1_000, reason: 'The largest limit of a list page; a page stays well under 2 MB.' },
  streamChunk: {
    value: 200,
    reason:
      'Applications read at once while a whole list is streamed: some 200 kB. With 500 it was a fifth faster, but the process grew by half as much again.',
  },
  exportChunk: {
    value: 128,
    reason:
      'Applications read at once while they are exported as CSV: some two milliseconds, in which SQLite lets nobody else in. With 200 it was a tenth faster.',
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
  connections: {
    value: 10_000,
    setting: 'MAX_CONNECTIONS',
    reason:
      'Connections of one process, for each address that it listens on. An idle one costs some 10 kB, so a flood of them stays below 100 MB. One more is closed at once: to say no costs less than to listen, and a balancer asks the next node.',
  },
  requestsPerConnection: {
    value: 1_000,
    setting: 'MAX_REQUESTS_PER_CONNECTION',
    reason:
      'The answer to the last one closes the connection, so that the load of clients that keep theirs for ever spreads to new nodes. A connection costs a tenth of a request; nginx has the same bound.',
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
  requestArrivesSeconds: {
    value: 300,
    reason: 'Time for a whole request to arrive: 10 MiB from a slow telephone.',
  },
  rateLimitKeys: {
    value: 100_000,
    reason:
      'Addresses remembered at once by a rate limit; beyond it newcomers share one count. Bounds memory.',
  },
  rateCountMs: {
    value: 1_000,
    reason:
      'How long a node counts by itself before it tells the others: a limit that many nodes share costs a write in a second, not one for each request.',
  },
  rateCountWaitMs: {
    value: 3_000,
    reason:
      'How long a request waits to hear what the other nodes have counted; after that each node counts for itself until the database answers.',
  },
  rateCountRows: {
    value: 500,
    reason: 'Counts told in one statement: some milliseconds of the write lock that everybody shares.',
  },
  slotLeaseSeconds: {
    value: 30,
    reason:
      'A node that dies in the middle of a whole list or an export gives its slot back after this time. Each is renewed three times in it.',
  },
  intakeClaimSeconds: {
    value: 600,
    reason:
      'How long a request holds its Idempotency-Key at most: a request may take five minutes to arrive, and three files wait for the scanner.',
  },
  intakeLeaseSeconds: {
    value: 15,
    reason:
      'A node that died lets go of its Idempotency-Keys after this time. While a request is under way, its key is renewed three times in it.',
  },
  intakeKeySeconds: { value: 86_400, reason: 'Life of an Idempotency-Key and of the answer saved with it.' },
  idempotencyKeyLength: { value: 255, reason: 'A UUID has 36 characters; nobody needs more than this.' },
  retryAfterSeconds: { value: 5, reason: 'What a 503 asks callers to wait.' },
  unscannedRetryAfterSeconds: {
    value: 30,
    reason: 'What a download of a file that is not judged yet asks callers to wait.',
  },
  busyWaitMs: {
    value: 10_000,
    reason: 'How long a write waits for another process to let go of the SQLite file before it answers 503.',
  },
  lockWaitMs: {
    value: 3_000,
    reason:
      'How long a write on PostgreSQL waits for a row that another transaction holds before it answers 503. Ours hold one for some milliseconds; meanwhile it keeps a connection from others.',
  },
  transactionIdleMs: {
    value: 5_000,
    reason:
      'When PostgreSQL ends a transaction that says nothing. Ours never think in between: the node has vanished or stands still, and others wait for its rows.',
  },
  connectMs: { value: 5_000, reason: 'How long to wait for a PostgreSQL connection before it answers 503.' },
  answerMarginMs: {
    value: 5_000,
    reason:
      'How much longer than the time of a statement an answer of PostgreSQL is waited for: who says nothing by then is not there any more.',
  },
  connectionSeconds: {
    value: 600,
    reason:
      'How long a PostgreSQL connection is used: after that time nobody is left who talks to a server that the address no longer names.',
  },
  clockToleranceMs: {
    value: 2_000,
    reason:
      'What the clocks of a node and of PostgreSQL may differ by before the log and "dossier doctor" say so. Synchronised ones differ by milliseconds; no code, session or window is so short that two seconds matter.',
  },
  clockLookMs: {
    value: 1_000,
    reason:
      'How often a service compares the clock with one that goes evenly: what comes in between has the wrong date.',
  },
  settleBatch: {
    value: 200,
    reason: 'Applications that "dossier clock settle" gives a date in one step: a moment of the ledger row.',
  },
  clockMostMs: {
    value: 60_000,
    reason:
      'How far the clocks of a node and of PostgreSQL may differ before the background work removes nothing for its age any more. Whatever does harm when it is removed too early, such as an idempotency key, lives for half an hour or longer.',
  },
  diskLeastMb: {
    value: 1_024,
    setting: 'DISK_LEAST_MB',
    reason:
      'Free megabytes on the disk of DATA_DIR below which the log, /health/ready, /metrics and "dossier doctor" say that it is nearly full. A hundred of the largest files fit, so there is time to make room.',
  },
  idsRaisedBy: {
    value: 100_000,
    reason:
      'How many IDs are left out on PostgreSQL after a failover or a backup, which may have lost some that were given. A standby that is a minute behind lacks fewer at a thousand applications a second.',
  },
  idsRaisedMost: {
    value: 1_000_000_000,
    reason:
      'What "dossier ids raise" leaves out at most: it cannot be undone, and no board has lost as many.',
  },
  replicaWaitMs: {
    value: 1_000,
    reason:
      'What a read gives the replica for each of these, before the primary is asked: a connection, the statement, and the way there and back.',
  },
  replicaPauseMs: {
    value: 5_000,
    reason: 'How long a replica that failed is left alone before it is looked at again.',
  },
  databaseCloseMs: {
    value: 2_000,
    reason: 'How long the end of the process waits for queries that PostgreSQL does not answer.',
  },
  blobConnectMs: {
    value: 5_000,
    reason: 'How long to wait for a connection to S3, a free one among BLOBS_SOCKETS included.',
  },
  blobAnswerMs: {
    value: 30_000,
    setting: 'BLOBS_ANSWER_MS',
    // An upload waits for it, and proxies give up after a minute.
    most: 50_000,
    reason:
      'How long S3 may take for one answer, the sending of a part of 5 MiB included: 170 kB a second at least. What sends less has less time, down to blobSilentMs for what sends nothing.',
  },
  blobSilentMs: {
    value: 10_000,
    reason:
      'How long S3 may take to answer a call that sends no content, such as the beginning of a download. It is asked twice within BLOBS_RETRY_MS, so a store that takes connections and says nothing is given up after 20 seconds.',
  },
  blobStoreMs: {
    value: 50_000,
    reason:
      'How long S3 may take for what is left to do when the last byte of an upload is here. With blobTakeBackMs, less than the minute after which a silent connection is closed: then nobody would hear the 503.',
  },
  blobTakeBackMs: {
    value: 5_000,
    reason:
      'How long the answer to a failed upload waits until S3 has let go of it; after that it goes on alone.',
  },
  blobStallMs: {
    value: 10_000,
    setting: 'BLOBS_STALL_MS',
    most: 50_000,
    reason:
      'How long S3 may send nothing in the middle of a file before it is asked for the rest again, and given up when nothing comes twice in a row.',
  },
  blobAttempts: {
    value: 5,
    setting: 'BLOBS_ATTEMPTS',
    most: 20,
    reason:
      'How often S3 is asked for one thing when it fails in passing: with the pauses, some three seconds.',
  },
  blobRetryMs: {
    value: 20_000,
    setting: 'BLOBS_RETRY_MS',
    most: 50_000,
    reason: 'What has failed for so long is not tried again: somebody waits for the answer.',
  },
  blobFirstPauseMs: {
    value: 200,
    reason:
      'The longest pause before S3 is asked again, which doubles each time; the pause itself is any part of it, so that nodes do not come back all at once.',
  },
  blobResumes: {
    value: 10,
    reason: 'How often the rest of one file is asked for anew: a line that breaks more often is down.',
  },
  blobSockets: {
    value: 256,
    setting: 'BLOBS_SOCKETS',
    most: 10_000,
    reason:
      'Connections to S3 of one process for downloads, each of which holds one as long as its reader takes, and as many for everything else.',
  },
  blobPartBytes: {
    value: 5 * kib * kib,
    reason: 'A part of an upload in parts: the least that S3 takes. What is not larger is sent in one.',
  },
  moveBatch: {
    value: 100,
    reason: 'Files that `blobs move` copies before it asks which of them are still wanted.',
  },
  movesAtOnce: { value: 8, reason: 'Files that `blobs move` copies at the same time, beside the uploads.' },
  moveFailures: {
    value: 16,
    reason: 'Files in a row that S3 does not take: then `blobs move` ends, because the next will fail, too.',
  },
  signedUrlSeconds: {
    value: 60,
    setting: 'SIGNED_URL_SECONDS',
    most: 3_600,
    reason:
      'With DOWNLOADS=redirect: how long the address of a file works for whoever has it. A client follows it at once.',
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
  questionIdLength: { value: 50, reason: 'The ID of a question or an option, when the caller chooses it.' },
  urlAnswerLength: { value: 2_000, reason: 'The longest URL that every browser takes.' },
  jobDescriptionLength: { value: 20_000, reason: 'The text of a job ad: ten printed pages.' },
  searchLength: {
    value: 200,
    reason: 'Characters of a search: the longest title fits, and more finds no better.',
  },
  searchWords: { value: 10, reason: 'Words of a search for jobs, each of them looked for in every ad.' },
  jobAdsShown: { value: 20, reason: 'Job ads on one page of the list for candidates.' },
  postingsShown: { value: 20, reason: "Job ads or questionnaires on one page of an advertiser's own list." },
  screensOffered: {
    value: 200,
    reason: 'Questionnaires to choose from in the form of an ad, the newest; older ones offer themselves.',
  },
  adsNamed: { value: 5, reason: 'Ads that are named when their questionnaire is about to change.' },
  intakePageSize: { value: 100, reason: 'Entries on a page of the intake lists when limit does not say.' },
  intakePageLength: { value: 1_000_000, reason: 'Characters that end a page: a screen may have 700,000.' },
  intakeReadAtOnce: { value: 10, reason: 'Entries read at once for a page: ten screens may have 7 MB.' },
  monthsInRole: { value: 1_200, reason: 'A hundred years.' },
  invitationSeconds: {
    value: 7 * 86_400,
    reason: 'Life of an invitation to an advertiser: somebody may be away for a few days.',
  },
  invitationsPerHour: {
    value: 60,
    reason:
      'Invitations of one advertiser in an hour: a form that mails to any address must not become a way to flood.',
  },
  peoplePerAdvertiser: {
    value: 200,
    reason: 'Who works for an advertiser, open invitations counted: they are shown on one page.',
  },
  consoleApplicationsShown: {
    value: 25,
    reason: "Applications on one page of an advertiser's table: a screen to look through, and 20 kB.",
  },
  consoleAdsOffered: {
    value: 100,
    reason:
      'Ads to choose from over the table of applications, the newest: 6 kB of a page. The list of ads leads to those of any.',
  },
  searchTextLength: { value: 200, reason: 'A name, an address or a reference to search for.' },
  searchLook: {
    value: 30_000,
    reason:
      'Search terms that are looked through at once: below it each match is known after some milliseconds.',
  },
  searchWindow: {
    value: 2_000,
    reason:
      'Applications that a search looks through one by one: whatever more than searchLook of a million match has filled a page by then.',
  },
  exportsPerSession: {
    value: 2,
    reason: 'Exports that one sign-in may have under way at once; the next is asked to wait.',
  },
  previewTextBytes: {
    value: 512 * kib,
    reason: 'Of a text file that is shown in the page: a hundred printed pages.',
  },
  newReceiptSeconds: {
    value: 600,
    reason: 'How long the receipt of an application announces that it was sent.',
  },
  sentFormSeconds: { value: 86_400, reason: 'How long a form that was sent is known, should it come again.' },
  sentFormLooks: {
    value: 50,
    reason: 'How often a form that was sent twice looks whether the first has ended, ten times a second.',
  },
  usageFlushSeconds: {
    value: 10,
    reason:
      'How long calls of version 1 are counted in memory before they are written: what a node that is killed may lose.',
  },
  usageFlushRows: {
    value: 500,
    reason: 'Counts written in one step: some milliseconds of the write lock that everybody shares.',
  },
  usageDays: { value: 30, reason: 'Days on the charts of an advertiser.' },
  importLineBytes: {
    value: 256 * kib,
    reason:
      'A line of an import, as long as a JSON body. Not a setting: whoever goes on with an import must find its lines in the same order.',
  },
  importBatch: {
    value: 500,
    reason:
      'Lines of an import that are stored in one step: the wait for the disk is shared, and nobody who applies meanwhile waits long.',
  },
  pageCacheBytes: {
    value: 16 * kib * kib,
    reason: 'List pages that are kept in memory, with their compressed forms: 150 pages of 100, per process.',
  },
  pageCacheSeconds: {
    value: 60,
    reason:
      'How long a list page may be kept when nobody asks for its advertiser: what was erased leaves the memory, too.',
  },
  compressLeastBytes: {
    value: 1_400,
    reason: 'What is smaller goes out as it is: it fits into one packet either way.',
  },
  importFilesAtOnce: { value: 4, reason: 'Lines of an import whose files are taken in at the same time.' },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof limits
export type Limits = Record<LimitName, number>

export const defaultLimits: Limits = Object.fromEntries(
  Object.entries(limits).map(([name, limit]) => [name, limit.value]),
) as Limits
