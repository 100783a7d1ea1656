import { numberText } from '../../platform/core/locale.ts'
import { dataTable } from '../../platform/web/components.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { heading } from './markup.ts'
import type { Section } from './navigation-markup.ts'

/** Limits that callers can run into; all others are internal. */
export const limitGroups = {
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
      maxPageSize: 'Largest page of a list',
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
      maxRedirectUris: 'Redirect URIs per client',
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
      privacyNoticeLength: 'Privacy notice',
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
      maxResumes: 'Resumes per candidate',
      resumeUploadsPerHour: 'Resume uploads',
      applicationsPerHour: 'Applications on our pages',
      maxSkills: 'Skills in a profile',
      maxWorkHistory: 'Jobs in a profile',
    },
  },
}

export interface ShownLimit {
  value: number
  reason: string
  setting?: string
}

/** Limits by name. */
export type ShownLimits = Readonly<Record<string, ShownLimit>>

const groups = Object.entries(limitGroups)

export const limitSections: readonly Section[] = groups.map(([id, { label }]) => ({ id, label }))

export function limitsMarkup(known: ShownLimits): Html {
  return html`<p>All limits that apply to callers, with the values of this service and their reasons. Where a setting is named, the operator can change the value.</p>
${groups.map(([id, { label, limits }]) => html`${heading(2, id, label)}${groupTable(label, limits, known)}`)}`
}

function groupTable(caption: string, labels: Record<string, string>, known: ShownLimits): Html {
  return dataTable(
    caption,
    [{ label: 'Limit' }, { label: 'Value' }, { label: 'Reason' }],
    Object.entries(labels).map(([name, label]) => {
      const limit = known[name]
      if (limit === undefined) throw new Error(`No limit is called ${name}.`)
      const { value, reason, setting } = limit
      return [
        label,
        html`<strong>${inUnits(name, value)}</strong>`,
        html`${reason}${setting !== undefined && html`<span class="hint">Setting ${setting}</span>`}`,
      ]
    }),
  )
}

/** Derives the unit from the last part of the name. */
function inUnits(name: string, value: number): string {
  const count = numberText(value)
  if (name.endsWith('Bytes')) {
    const kibibytes = value / 1024
    return kibibytes < 1024 ? `${numberText(kibibytes)} KiB` : `${numberText(kibibytes / 1024)} MiB`
  }
  if (name.endsWith('Seconds')) return `${count} s`
  if (name.endsWith('Days')) return `${count} days`
  if (name.endsWith('PerMinute')) return `${count} per minute`
  if (name.endsWith('PerHour')) return `${count} per hour`
  return name.endsWith('Length') ? `${count} characters` : count
}
