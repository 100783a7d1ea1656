// Generated from the OpenAPI document by `npm run generate`.

/** Problem details (RFC 9457). */
export type Problem = {
  /** Address of an explanation of the code. */
  type: string
  title: string
  status: number
  detail: string
  /** Stable code for programs. */
  code: "bad-request" | "invalid-parameter" | "repeated-parameter" | "bad-cursor" | "invalid-credential" | "invalid-token" | "form-expired" | "demo-loopback-only" | "advertiser-on-hold" | "agent-not-authorised" | "webhooks-not-allowed" | "progress-not-granted" | "advertiser-not-listed" | "token-of-another-advertiser" | "admins-only" | "file-not-judged" | "not-found" | "no-such-route" | "method-not-allowed" | "not-acceptable" | "request-timeout" | "form-under-way" | "idempotency-key-in-use" | "history-full" | "idempotency-key-reused" | "cursor-too-old" | "payload-too-large" | "uri-too-long" | "unsupported-media-type" | "range-not-satisfiable" | "expectation-failed" | "invalid-fields" | "at-in-future" | "endpoint-address" | "endpoint-not-answering" | "rate-limited" | "too-many-waiting" | "too-many-streams" | "headers-too-large" | "internal" | "unavailable" | "shutting-down" | "not-yet-scanned"
  requestId: string
  errors?: Array<{
    field: string
    code: string
    message: string
  }>
}

/** An OAuth error. Always JSON, whatever the Accept header. */
export type OAuthError = {
  /** An error code of RFC 6749, section 5.2. */
  error: string
  error_description: string
}

/** Every key is always present: empty and unreleased data look alike. */
export type Prefill = {
  id: string
  created: string
  updated: string
  applicantInfo: {
    firstName: string
    lastName: string
    emailAddress: string
    phoneNumber: string | null
    currentLocation: {
      id: string
      description: string
    } | null
    highestQualification: {
      id: string
      description: string
    } | null
    skills: string[]
    salaryAndVisaByCountry: Record<string, {
      description: string | null
      hasWorkingVisa: boolean
      minimumSalaryValue: number
      salaryType: string
    }>
    workHistory: Array<{
      jobTitle: string
      companyName: string
      industry: {
        id: string
        description: string
      } | null
      achievements: string | null
      from: string
      to: string | null
    }>
  }
  resume: {
    link: string
  } | null
  complete: string
}

/** A stored application. */
export type IntakeReceipt = {
  /** The ID that version 1 returns. */
  id: number
  submitted: string
  attachments: Array<{
    type: "resume" | "coverLetter" | "selectionCriteria"
    /** As version 1 returns it. The extension matches the content of the file. */
    fileName: string
    size: number
    /** SHA-256 of the bytes, in hexadecimal. */
    sha256: string
    /** The current verdict. The content of an infected file is discarded: its size and sha256 are those of an empty file. A not-judged file exceeds the limits of the scanner. */
    scan: "unscanned" | "clean" | "infected" | "not-judged"
  }>
  answerFiles?: Array<{
    /** The name of the part, such as answer-3. */
    type: string
    /** As version 1 returns it. The extension matches the content of the file. */
    fileName: string
    size: number
    /** SHA-256 of the bytes, in hexadecimal. */
    sha256: string
    /** The current verdict. The content of an infected file is discarded: its size and sha256 are those of an empty file. A not-judged file exceeds the limits of the scanner. */
    scan: "unscanned" | "clean" | "infected" | "not-judged"
  }>
}

export type Attachment = {
  /** Milliseconds since the epoch, with the offset of Australian Eastern Standard Time. */
  DateUploaded: string
  /** Null until the scanner has judged the file, and for a file that it cannot judge. */
  HasVirus: boolean | null
  /** SHA-256 of the bytes that a download returns. */
  Hash: string
  Href: string
  Size: number
  Type: "resume" | "coverLetter" | "selectionCriteria" | "screen"
}

export type JobApplication = {
  ID: number
  /** Milliseconds since the epoch, with the offset of Australian Eastern Standard Time. */
  DateSubmitted: string
  Email: string
  FirstName: string
  LastName: string
  /** Empty if the candidate gave none. */
  Phone: string
  JobSeekerID: string
  JobReference?: string
  Attachments: Attachment[]
  PrimaryJobSeekingInfo?: {
    JobTitle?: string
    CompanyName?: string
    /** In months. */
    TimeInRole?: number
    IsNewToWorkForce: boolean
  }
}

export type JobApplications = {
  JobApplications: {
    AdvertiserID: number
    /** Milliseconds since the epoch, with the offset of Australian Eastern Standard Time. */
    AfterDate: string | null
    AfterID: string | null
    /** Milliseconds since the epoch, with the offset of Australian Eastern Standard Time. */
    BeforeDate: string | null
    BeforeID: string | null
    AgentID: number | null
    JobApplicationsList: JobApplication[]
  }
}

export type Screen = {
  screen: {
    "@id": string
    "@name": string
    "@successful": "True" | "False"
    question: Array<{
      "@id": string
      "@type": "MultipleChoiceOneAnswer" | "MultipleChoiceManyAnswers" | "Text" | "True/False" | "URLQuestion"
      "@text": string
      /** One object for a Text question; otherwise a list. */
      answer: {
        "@id": string
        "@selected"?: "True"
        "#text": string
      } | Array<{
        "@id": string
        "@selected"?: "True"
        "#text": string
      }>
    }>
  }
}

export type ApplicationAnswers = {
  applicationId: number
  screen: {
    id: string
    name: string
    successful: boolean
  } | null
  answers: Array<{
    questionId: string
    kind: "oneOption" | "severalOptions" | "text" | "yesNo" | "url" | "number" | "date" | "longText" | "file" | "statement"
    /** Your own name of the question. */
    reference: string | null
    /** Of the question. */
    text: string
    options?: Array<{
      id: string
      text: string
    }>
    /** By kind. oneOption: the option, or null. severalOptions: a list of options. yesNo: true, false or null. text, url, longText: the text, or null. number: a number, or null. date: YYYY-MM-DD, or null. file: the file with the path of its download, or null. statement: whether the candidate has confirmed that they have read it. */
    value: null | string | number | boolean | {
      id: string
      text: string
    } | Array<{
      id: string
      text: string
    }> | {
      name: string
      contentType: string
      size: number
      /** SHA-256 of the bytes that a download returns. */
      sha256: string
      scan: "unscanned" | "clean" | "infected" | "not-judged"
      href: string
    }
  }>
}

export type ArrivalData = {
  advertiserId: number
  applicationId: number
  jobReference: string | null
  jobAdId: number | null
  /** Whether a file waits for the virus scanner. */
  hasUnscanned: boolean
}

export type ApplicationData = {
  advertiserId: number
  applicationId: number
}

export type StatusData = {
  advertiserId: number
  applicationId: number
  from: "received" | "viewed" | "inReview" | "shortlisted" | "interview" | "offer" | "notSuccessful" | "hired" | "withdrawn"
  to: "received" | "viewed" | "inReview" | "shortlisted" | "interview" | "offer" | "notSuccessful" | "hired" | "withdrawn"
  /** When it happened, as its author says. */
  at: string
  by: "console" | "api" | "agent" | "candidate"
  /** With `by: api`. */
  credentialId?: string
  /** With `by: agent`. */
  clientId?: string
}

/** How long the candidate lets you keep it for other jobs. */
export type KeepData = {
  advertiserId: number
  applicationId: number
  /** The last day, in the time zone of the advertiser; null: no longer. */
  until: string | null
}

export type VerdictData = {
  advertiserId: number
  applicationId: number
  attachmentType: "resume" | "coverLetter" | "selectionCriteria" | "answer"
  /** With `attachmentType: answer`: which of the answers, from 1. */
  question?: number
  from: "unscanned" | "clean" | "infected"
  to: "unscanned" | "clean" | "infected"
}

export type CompletionData = {
  advertiserId: number
  prefilledApplicationId: string
  positionReference: string | null
  completedAt: string
}

export type AgentData = {
  advertiserId: number
  agentId: number
}

export type EndpointData = {
  advertiserId: number
  endpointId: string
  since: string
}

export type RestoredData = {
  advertiserId: number
  since: string
}

export type GapData = {
  advertiserId: number
  from: string
  to: string
}

export type PingData = {
  advertiserId: number | null
  endpointId: string
}

/** What a client holds and must delete. */
export type ReleasedData = {
  advertiserId: number | null
  prefilledApplicationIds: string[]
}

export type NarrowedData = {
  advertiserId: number | null
  prefilledApplicationIds: string[]
  /** What the candidate no longer shares: delete it from these prefilled applications. */
  removedCategories: Array<"phone" | "location" | "qualification" | "workHistory" | "salary" | "resume">
}

/** A webhook endpoint of the client’s agent. */
export type AgentEndpointData = {
  agentId: number
  endpointId: string
  since: string
}

export type Webhook = {
  id: string
  url: string
  description: string
  types: Array<"application.created" | "application.imported" | "application.erased" | "application.withdrawn" | "attachment.scanned" | "prefill.completed" | "agent.authorised" | "agent.withdrawn" | "webhook.failing" | "webhook.stopped" | "application.status-changed" | "application.keep-changed">
  scheme: "v1" | "v1a"
  /** `new` until a test is answered; `stopped` after five days of failures, or 410. */
  state: "new" | "active" | "failing" | "paused" | "stopped"
  createdAt: string
  lastSuccessAt: string | null
  failingSince: string | null
  /** `key-lost`: this service was restored without the key of the secret. Rotate the secret, give it to your receiver, then resume. */
  stopReason: "gone" | "failing" | "key-lost" | null
  /** Until when the previous key signs as well. */
  overlapUntil: string | null
  /** What your receiver verifies with. A secret (`whsec_…`, v1) is returned only when it is created or rotated; a public key (`whpk_…`, v1a) also when the endpoint is read. */
  key?: string
  /** How the test ended. */
  test?: {
    /** `accepted`: 2xx. `refused`: any other status. `timeout`: no answer in time. `dns`: the name has no address, or its name server did not answer. `connect`: no connection. `tls`: no valid certificate. `address`: not a public address. `cut`: the connection ended before a status came. */
    outcome: "accepted" | "refused" | "timeout" | "dns" | "connect" | "tls" | "address" | "cut"
    status: number | null
    ms: number
    /** The beginning of the answer to a failed attempt. */
    answer: string | null
  }
  /** How many parked events will be sent again. */
  resent?: number
  /** The header `dossier-replay` has it. */
  replayId?: string
  /** Events that have not been accepted yet; counted up to a bound. */
  behind?: {
    events: number
    oldestAt: string | null
    nextTryAt: string | null
  }
  /** The newest first: failures, and some of the successes. */
  attempts?: Array<{
    at: string
    /** Null for a test. */
    eventId: string | null
    attempt: number
    /** `accepted`: 2xx. `refused`: any other status. `timeout`: no answer in time. `dns`: the name has no address, or its name server did not answer. `connect`: no connection. `tls`: no valid certificate. `address`: not a public address. `cut`: the connection ended before a status came. */
    outcome: "accepted" | "refused" | "timeout" | "dns" | "connect" | "tls" | "address" | "cut"
    status: number | null
    ms: number
    /** The beginning of the answer to a failed attempt. */
    answer: string | null
  }>
  replays?: Array<{
    id: string
    advertiserId: number
    state: "waiting" | "running" | "done" | "cancelled" | "given-up"
    delivered: number
    createdAt: string
  }>
  /** Events that the receiver refused while it accepted the next one, newest first. `given-up`: its retries are over, and `resend` sends it again. */
  parked?: Array<{
    eventId: string
    state: "waiting" | "running" | "done" | "cancelled" | "given-up"
    tries: number
    nextTryAt: string | null
  }>
}

/** An advertiser that authorises the agent. */
export type AgentAdvertiser = {
  /** Send it as `advertiser_id` to get a token for this advertiser. */
  id: number
  name: string
  /** Since when it authorises the agent. */
  authorisedAt: string
}

/** Unknown fields are ignored. */
export type ProgressEntry = {
  /** The ID from the list. */
  applicationId: number | string
  state: "received" | "viewed" | "inReview" | "shortlisted" | "interview" | "offer" | "hired" | "notSuccessful"
  /** When it happened, with time zone, at most five minutes in the future. Of two entries the one with the later time wins; with equal times, the state that stands later in the list. */
  at: string
  /** Your own stage, shown to the company alone. */
  label?: string | null
  /** With notSuccessful alone. The company sees it of an application made here, and the candidate only if the company has chosen so. */
  reason?: "positionFilled" | "positionCancelled" | "experience" | "skills" | "qualifications" | "location" | "workRights" | "other" | null
  /** False: the candidate gets no email about this entry. */
  tell?: boolean | null
}

/** Unknown fields are ignored. */
export type PrefillProgressEntry = {
  /** The id of the prefill. */
  prefilledApplicationId: string
  state: "received" | "viewed" | "inReview" | "shortlisted" | "interview" | "offer" | "hired" | "notSuccessful"
  /** When it happened, with time zone, at most five minutes in the future. Of two entries the one with the later time wins; with equal times, the state that stands later in the list. */
  at: string
  /** Your own stage, shown to the company alone. */
  label?: string | null
  /** With notSuccessful alone. The company sees it of an application made here, and the candidate only if the company has chosen so. */
  reason?: "positionFilled" | "positionCancelled" | "experience" | "skills" | "qualifications" | "location" | "workRights" | "other" | null
  /** False: the candidate gets no email about this entry. */
  tell?: boolean | null
}

/** One result per entry, in their order. */
export type ProgressResults = {
  results: Array<{
    /** As it was sent; null if it was not. */
    applicationId: unknown
    /** `applied`: it is the state now, or its time has moved on. `unchanged`: known already, with this time. `superseded`: a later state is known, or the candidate has withdrawn; the entry is not recorded. */
    result: "applied" | "unchanged" | "superseded"
  } | {
    /** As it was sent; null if it was not. */
    applicationId: unknown
    /** Nothing was changed. */
    result: "refused"
    code: "not-found" | "invalid-fields" | "at-in-future" | "history-full"
    detail: string
    /** With `invalid-fields`: each field that is wrong. */
    errors?: Array<{
      field: string
      code: string
      message: string
    }>
  }>
}

/** One result per entry, in their order. */
export type PrefillProgressResults = {
  results: Array<{
    /** As it was sent; null if it was not. */
    prefilledApplicationId: unknown
    /** `applied`: it is the state now, or its time has moved on. `unchanged`: known already, with this time. `superseded`: a later state is known, or the candidate has withdrawn; the entry is not recorded. */
    result: "applied" | "unchanged" | "superseded"
  } | {
    /** As it was sent; null if it was not. */
    prefilledApplicationId: unknown
    /** Nothing was changed. */
    result: "refused"
    code: "not-found" | "invalid-fields" | "at-in-future" | "history-full"
    detail: string
    /** With `invalid-fields`: each field that is wrong. */
    errors?: Array<{
      field: string
      code: string
      message: string
    }>
  }>
}

export type JobAd = {
  id: number
  advertiserId: number
  title: string
  location: string
  /** Pages show a subset of Markdown: headings, lists, emphasis and links. */
  description: string
  reference: string | null
  screenId: number | null
  /** The last day on which candidates can apply, in the time zone of the advertiser. */
  closingDate: string | null
  /** The country of the workplace: ISO 3166-1. Search engines list no ad without it. */
  country?: string
  /** State, province or land. */
  region?: string
  /** Town or city. */
  locality?: string
  workplace?: "onSite" | "hybrid" | "remote"
  /** Where people may work from: ISO 3166-1. Only if the workplace is `remote`. */
  remoteCountries?: string[]
  employmentTypes?: Array<"FULL_TIME" | "PART_TIME" | "CONTRACTOR" | "TEMPORARY" | "INTERN" | "VOLUNTEER" | "PER_DIEM" | "OTHER">
  /** At least one of min and max; both are the same if the pay is fixed. */
  pay?: {
    min?: number
    max?: number
    /** ISO 4217, such as EUR. */
    currency: string
    period: "hour" | "day" | "week" | "month" | "year"
    /** One line, such as "plus super" or "by collective agreement". */
    note?: string
  }
  /** Of the text: BCP 47, such as en or fr-CA. */
  language?: string
  openings?: number
  /** `existing` for a position to fill now, `pool` if applications are collected for later. */
  vacancy?: "existing" | "pool"
  /** Whether artificial intelligence screens, assesses or selects applicants. */
  aiScreening?: boolean
  /** Fields that the ad should have by the rules of the job board, each with the reason. */
  warnings?: Array<{
    field: string
    message: string
  }>
  /** Only while the operator of the job board keeps the ad off it, whatever its status: it waits for a review, or it is held. Its status is then `closed`. */
  hold?: {
    kind: "review" | "held"
    reason: string | null
    at: string
  }
  /** An ad is also closed once its closing date has passed. */
  status: "open" | "closed"
  createdAt: string
  updatedAt: string
}

export type Questionnaire = {
  id: number
  advertiserId: number
  name: string
  questions: Array<{
    id: string
    type: "MultipleChoiceOneAnswer" | "MultipleChoiceManyAnswers" | "Text" | "True/False" | "URLQuestion"
    /** How a Text question is answered: with a number, a date (YYYY-MM-DD), a text of up to 20,000 characters, a file, or `Read` for a statement to read. */
    kind?: "number" | "date" | "longText" | "file" | "statement"
    /** The advertiser's own name of the question. */
    reference?: string
    text: string
    isRequired: boolean
    options: Array<{
      id: string
      text: string
      passes: boolean
    }>
    passingTexts: string[]
  }>
  /** An ad is also closed once its closing date has passed. */
  status: "open" | "closed"
  createdAt: string
  updatedAt: string
}

export type PrefillRequest = {
  /** A string of digits, or a number. */
  advertiserId: string | number
  /** Absolute URL of the client's own application form. */
  applicationFormUrl: string
  positionTitle?: string | null
  /** An absolute URL. */
  positionUri?: string | null
  positionReference?: string | null
  /** Two letters. */
  countryCode?: string | null
  postalCode?: string | null
}

/** JSON. Send it before the files. */
export type NewApplication = {
  /** A number, or a string of digits. */
  advertiserId: number | string
  /** A number, or a string of digits. */
  jobAdId?: number | string | null
  /** When the candidate applied: not in the future, and not before the advertiser's newest application. Defaults to the time of arrival. */
  submitted?: string | null
  /** Defaults to the job ad's reference. */
  jobReference?: string | null
  /** The job board's ID for this candidate, always the same. */
  jobSeekerId: string
  /** No line breaks. */
  contact: {
    email: string
    firstName: string
    lastName: string
    phone?: string | null
  }
  primaryJobSeekingInfo?: {
    jobTitle?: string | null
    companyName?: string | null
    timeInRoleMonths?: number | null
    isNewToWorkForce: boolean
  } | null
  screen?: {
    /** A number, or a string of digits. */
    screenId?: number | string | null
    answers: Array<{
      questionId: string
      /** The chosen options, for a question that has options. */
      answerIds?: string[] | null
      /** The answer to a Text question or a URLQuestion, of up to 10,000 characters, or 2,000 for a URLQuestion. A Text question with a kind takes: a number with a point, such as 48000 or 7.5; a date as YYYY-MM-DD; a long text of up to 20,000 characters; `Read` for a statement. */
      text?: string | null
    }>
  } | {
    result: {
      id: string
      name: string
      successful: boolean
      questions: Array<{
        id: string
        type: "MultipleChoiceOneAnswer" | "MultipleChoiceManyAnswers" | "Text" | "True/False" | "URLQuestion"
        /** Only with the type Text, and then the text of its answer has this form. */
        kind?: "number" | "date" | "longText" | "file" | "statement" | null
        /** The advertiser's own name of the question. */
        reference?: string | null
        text: string
        /** Exactly one for a Text question. `selected` is true if text was entered. At most one option of True/False and MultipleChoiceOneAnswer is selected. */
        answers: Array<{
          id: string
          text: string
          selected: boolean
        }>
      }>
    }
  } | null
}

export type NewJobAd = {
  /** The ID of an advertiser listed on the client: a number, or a string of digits. */
  advertiserId: number | string
  /** One line. */
  title: string
  /** One line. */
  location: string
  /** Line breaks are kept. Pages show a subset of Markdown: headings, lists, emphasis and links. */
  description: string
  /** The advertiser's own reference, returned by version 1. */
  reference?: string | null
  /** The ID of an open screen of the same advertiser: a number, or a string of digits. */
  screenId?: number | string | null
  /** The last day on which candidates can apply, in the time zone of the advertiser. */
  closingDate?: string | null
  /** The country of the workplace: ISO 3166-1. Search engines list no ad without it. */
  country?: string | null
  /** State, province or land. */
  region?: string | null
  /** Town or city. */
  locality?: string | null
  workplace?: "onSite" | "hybrid" | "remote" | null
  /** Where people may work from: ISO 3166-1. Only if the workplace is `remote`. */
  remoteCountries?: string[] | null
  employmentTypes?: Array<"FULL_TIME" | "PART_TIME" | "CONTRACTOR" | "TEMPORARY" | "INTERN" | "VOLUNTEER" | "PER_DIEM" | "OTHER"> | null
  /** At least one of min and max; both are the same if the pay is fixed. */
  pay?: {
    min?: number | null
    max?: number | null
    /** ISO 4217, such as EUR. */
    currency: string
    period: "hour" | "day" | "week" | "month" | "year"
    /** One line, such as "plus super" or "by collective agreement". */
    note?: string | null
  } | null
  /** Of the text: BCP 47, such as en or fr-CA. */
  language?: string | null
  openings?: number | null
  /** `existing` for a position to fill now, `pool` if applications are collected for later. */
  vacancy?: "existing" | "pool" | null
  /** Whether artificial intelligence screens, assesses or selects applicants. */
  aiScreening?: boolean | null
}

export type NewScreen = {
  /** The ID of an advertiser listed on the client: a number, or a string of digits. */
  advertiserId: number | string
  /** One line. */
  name: string
  questions: Array<{
    /** Visible ASCII characters. Assigned automatically if left out. */
    id?: string | null
    type: "MultipleChoiceOneAnswer" | "MultipleChoiceManyAnswers" | "Text" | "True/False" | "URLQuestion"
    /** Only with the type Text, which is what version 1 and programs that do not know kinds see. Any answer passes. */
    kind?: "number" | "date" | "longText" | "file" | "statement" | null
    /** Your own name of the question. It is returned with the answers. */
    reference?: string | null
    text: string
    isRequired?: boolean | null
    /** The options to choose from. `True/False` always has True and False, even if left out. */
    options?: Array<{
      /** Visible ASCII characters. Assigned automatically if left out. */
      id?: string | null
      text: string
      passes?: boolean | null
    }> | null
    /** For Text and URLQuestion: the answers that pass. For a URLQuestion, each is a full URL of up to 2,000 characters. Case and extra spaces are ignored. */
    passingTexts?: string[] | null
  }>
}
