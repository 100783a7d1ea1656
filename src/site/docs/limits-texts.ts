export const limitTexts = {
  title: 'Limits',
  intro:
    'All limits that apply to callers, with the values of this service and their reasons. Where a setting is named, the operator can change the value.',
  limit: 'Limit',
  value: 'Value',
  reason: 'Reason',
  setting: (name: string) => `Setting ${name}`,
  kibibytes: (count: string) => `${count} KiB`,
  mebibytes: (count: string) => `${count} MiB`,
  seconds: (count: string) => `${count} s`,
  days: (count: string) => `${count} days`,
  perMinute: (count: string) => `${count} per minute`,
  perHour: (count: string) => `${count} per hour`,
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
        documentParts: 'Parts in a docx',
        tokenLength: 'Bearer token',
        credentialLength: 'SWS credential',
        connections: 'Connections per process',
        requestsPerConnection: 'Requests per connection',
        keepAliveSeconds: 'Idle connection',
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
        authFailuresPerAddressPerMinute: 'Failed authentications, per IP address',
      },
    },
    lists: {
      label: 'Lists',
      limits: {
        pageSize: 'Largest page of a list',
        wholeListsPerCredential: 'Concurrent full lists, per credential',
        intakePageSize: 'Default page of an intake list',
        intakePageLength: 'Length of an intake page',
      },
    },
    tokens: {
      label: 'Codes, tokens and clients',
      limits: {
        codeSeconds: 'Authorization code',
        codeAttempts: 'Failed attempts on one code',
        tokenSeconds: 'Access token',
        consentDays: 'Remembered consent',
        redirectUris: 'Redirect URIs per client',
        redirectUriLength: 'Redirect URI',
      },
    },
    intake: {
      label: 'Sending applications',
      limits: {
        idempotencyKeyLength: 'Idempotency-Key',
        intakeKeySeconds: 'Lifetime of a key and its response',
        intakeLeaseSeconds: 'Abandoned key',
        intakeClaimSeconds: 'Request with a key',
        screenQuestions: 'Questions per screen',
        screenAnswers: 'Options per question',
        questionIdLength: 'Question or option ID',
      },
    },
    texts: {
      label: 'Texts and numbers',
      limits: {
        nameLength: 'Names and titles',
        emailLength: 'Email address',
        phoneLength: 'Phone number',
        referenceLength: 'Job reference',
        longTextLength: 'Question or answer',
        urlAnswerLength: 'Answer to a URLQuestion',
        jobDescriptionLength: 'Job ad text',
        monthsInRole: 'timeInRoleMonths',
        formUrlLength: 'applicationFormUrl',
        postalCodeLength: 'postalCode',
      },
    },
    waiting: {
      label: 'Waiting',
      limits: {
        retryAfterSeconds: 'Retry-After of a 503',
        unscannedRetryAfterSeconds: 'Retry-After for an unscanned file',
        headersArriveSeconds: 'Receiving the headers',
        requestArrivesSeconds: 'Receiving the request',
        connectionIdleSeconds: 'Stalled connection',
        keepAliveSeconds: 'Idle connection kept open',
      },
    },
    people: {
      label: 'Candidates',
      limits: {
        resumes: 'Resumes per candidate',
        resumeUploadsPerHour: 'Resume uploads',
        applicationsPerHour: 'Applications on our pages',
        skills: 'Skills in a profile',
        workHistory: 'Jobs in a profile',
      },
    },
  },
} as const

type Groups = (typeof limitTexts)['groups']
type KeysOfAll<T> = T extends unknown ? keyof T : never

/** Limits that callers can run into; all others are internal. */
export type CallerLimit = KeysOfAll<Groups[keyof Groups]['limits']>
