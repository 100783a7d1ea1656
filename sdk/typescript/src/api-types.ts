// Generated from the OpenAPI document by `npm run generate`.

/** Problem details (RFC 9457). */
export type Problem = {
  /** Address of an explanation of the code. */
  type: string
  title: string
  status: number
  detail: string
  /** Stable code for programs. */
  code: "bad-request" | "invalid-parameter" | "repeated-parameter" | "bad-cursor" | "cursor-too-old" | "too-many-waiting" | "invalid-credential" | "invalid-token" | "advertiser-on-hold" | "agent-not-authorised" | "advertiser-not-listed" | "token-of-another-advertiser" | "admins-only" | "form-expired" | "form-under-way" | "demo-loopback-only" | "not-found" | "no-such-route" | "method-not-allowed" | "not-acceptable" | "request-timeout" | "payload-too-large" | "uri-too-long" | "unsupported-media-type" | "range-not-satisfiable" | "expectation-failed" | "idempotency-key-in-use" | "idempotency-key-reused" | "invalid-fields" | "endpoint-address" | "endpoint-not-answering" | "rate-limited" | "too-many-streams" | "headers-too-large" | "internal" | "not-yet-scanned" | "file-not-judged" | "unavailable" | "shutting-down"
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

export type VerdictData = {
  advertiserId: number
  applicationId: number
  attachmentType: "resume" | "coverLetter" | "selectionCriteria"
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

export type Webhook = {
  id: string
  url: string
  description: string
  types: Array<"application.created" | "application.imported" | "application.erased" | "application.withdrawn" | "attachment.scanned" | "prefill.completed" | "agent.authorised" | "agent.withdrawn" | "webhook.failing" | "webhook.stopped">
  scheme: "v1" | "v1a"
  /** `new` until a test is answered; `stopped` after five days of failures, or 410. */
  state: "new" | "active" | "failing" | "paused" | "stopped"
  createdAt: string
  lastSuccessAt: string | null
  failingSince: string | null
  stopReason: "gone" | "failing" | null
  /** Until when the previous key signs as well. */
  overlapUntil: string | null
  /** What your receiver verifies with. A secret (`whsec_…`, v1) is returned only when it is created or rotated; a public key (`whpk_…`, v1a) also when the endpoint is read. */
  key?: string
  /** How the test ended. */
  test?: {
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
  /** Events that the receiver refused while it accepted the next one. */
  parked?: Array<{
    eventId: string
    state: "waiting" | "running" | "done" | "cancelled" | "given-up"
    tries: number
    nextTryAt: string | null
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
  /** The last day on which candidates can apply, in AEST. */
  closingDate: string | null
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
      /** The answer to a Text question or a URLQuestion. A URLQuestion takes up to 2,000 characters. */
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
  /** The last day on which candidates can apply, in AEST. */
  closingDate?: string | null
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
