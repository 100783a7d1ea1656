export const limitTexts = {
  title: 'Limits',
  intro:
    'Every bound that a caller can meet, as this service has it now, with its reason. Where a setting is named, the operator may have chosen another value than the one that comes with the program.',
  limit: 'Limit',
  value: 'Value',
  reason: 'Reason',
  setting: (name: string) => `Setting ${name}`,
  kibibytes: (count: string) => `${count} KiB`,
  mebibytes: (count: string) => `${count} MiB`,
  seconds: (count: string) => `${count} s`,
  days: (count: string) => `${count} days`,
  perMinute: (count: string) => `${count} a minute`,
  perHour: (count: string) => `${count} an hour`,
  characters: (count: string) => `${count} characters`,
  groups: {
    requests: {
      label: 'Requests',
      limits: {
        urlBytes: 'URL',
        headerBytes: 'Headers',
        jsonBytes: 'JSON body',
        formBytes: 'Form body',
        fileBytes: 'File',
        documentBytes: 'A docx, unpacked',
        documentParts: 'Parts of a docx',
        tokenLength: 'Bearer token',
        credentialLength: 'SWS credential',
        connections: 'Connections of one process',
        requestsPerConnection: 'Requests on one connection',
        keepAliveSeconds: 'A connection without a request',
      },
    },
    rates: {
      label: 'Rates',
      limits: {
        v1PerMinute: 'Version 1, per credential',
        v2PerMinute: 'Version 2, per token',
        intakePerMinute: 'Intake, per client',
        tokenPerMinute: 'Token endpoint, per client',
        codesPerMinute: 'Codes, per sign-in and client',
        authFailuresPerClientPerMinute: 'Failed authentications, per client',
        authFailuresPerAddressPerMinute: 'Failed authentications, per address',
      },
    },
    lists: {
      label: 'Lists',
      limits: {
        pageSize: 'Largest limit of a list',
        wholeListsPerCredential: 'Whole lists at once, per credential',
        intakePageSize: 'Intake lists without limit',
        intakePageLength: 'Characters that end an intake page',
      },
    },
    tokens: {
      label: 'Codes, tokens and clients',
      limits: {
        codeSeconds: 'Authorization code',
        codeAttempts: 'Failed attempts on one code',
        tokenSeconds: 'Access token',
        consentDays: 'Remembered consent',
        redirectUris: 'Redirect URIs of a client',
        redirectUriLength: 'Redirect URI',
      },
    },
    intake: {
      label: 'Sending applications',
      limits: {
        idempotencyKeyLength: 'Idempotency-Key',
        intakeKeySeconds: 'Life of a key and its answer',
        intakeLeaseSeconds: 'A key whose node has died',
        intakeClaimSeconds: 'A request with a key',
        screenQuestions: 'Questions in a screen',
        screenAnswers: 'Answers to choose from',
        questionIdLength: 'ID of a question or an option',
      },
    },
    texts: {
      label: 'Texts and numbers',
      limits: {
        nameLength: 'Names and titles',
        emailLength: 'E-mail address',
        phoneLength: 'Phone number',
        referenceLength: 'Job reference',
        longTextLength: 'Question or answer',
        urlAnswerLength: 'Answer to a URLQuestion',
        jobDescriptionLength: 'Text of a job ad',
        monthsInRole: 'timeInRoleMonths',
        formUrlLength: 'applicationFormUrl',
        postalCodeLength: 'postalCode',
      },
    },
    waiting: {
      label: 'Waiting',
      limits: {
        retryAfterSeconds: 'Retry-After of a 503',
        unscannedRetryAfterSeconds: 'Retry-After of a file without verdict',
        headersArriveSeconds: 'Headers must have arrived',
        requestArrivesSeconds: 'The request must have arrived',
        connectionIdleSeconds: 'A connection on which nothing moves',
        keepAliveSeconds: 'An idle connection stays open',
      },
    },
    people: {
      label: 'Candidates',
      limits: {
        resumes: 'Resumes of a candidate',
        resumeUploadsPerHour: 'Resume uploads',
        applicationsPerHour: 'Applications on our own pages',
        skills: 'Skills in a profile',
        workHistory: 'Jobs in a profile',
      },
    },
  },
} as const

type Groups = (typeof limitTexts)['groups']
type KeysOfAll<T> = T extends unknown ? keyof T : never

/** The limits that callers can meet. The others bound what only we do. */
export type CallerLimit = KeysOfAll<Groups[keyof Groups]['limits']>
