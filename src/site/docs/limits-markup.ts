import { numberText } from '../../platform/core/locale.ts'
import { dataTable } from '../../platform/web/components.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { t } from '../../platform/web/t.ts'
import { heading } from './markup.ts'
import type { Section } from './navigation-markup.ts'

/** Limits that callers can run into; all others are internal. */
export const limitGroups = {
  requests: {
    label: t`Requests`,
    limits: {
      urlBytes: 'URL',
      headerBytes: t`Headers`,
      jsonBytes: t`JSON body`,
      formBytes: t`Form body`,
      fileBytes: t`File`,
      documentBytes: t`A docx, unpacked`,
      documentParts: t`Parts in a docx`,
      tokenLength: t`Bearer token`,
      credentialLength: t`SWS credential`,
      connections: t`Connections per process`,
      requestsPerConnection: t`Requests per connection`,
      keepAliveSeconds: t`Idle connection`,
    },
  },
  rates: {
    label: t`Rates`,
    limits: {
      v1PerMinute: t`Version 1, per credential`,
      v2PerMinute: t`Version 2, per token`,
      intakePerMinute: t`Intake, per client`,
      tokenPerMinute: t`Token endpoint, per client`,
      codesPerMinute: t`Codes, per sign-in and client`,
      authFailuresPerClientPerMinute: t`Failed authentications, per client`,
      authFailuresPerAddressPerMinute: t`Failed authentications, per IP address`,
    },
  },
  lists: {
    label: t`Lists`,
    limits: {
      maxPageSize: t`Largest page of a list`,
      wholeListsPerCredential: t`Concurrent full lists, per credential`,
      intakePageSize: t`Default page of an intake list`,
      intakePageLength: t`Length of an intake page`,
    },
  },
  tokens: {
    label: t`Codes, tokens and clients`,
    limits: {
      codeSeconds: t`Authorization code`,
      codeAttempts: t`Failed attempts on one code`,
      tokenSeconds: t`Access token`,
      consentDays: t`Remembered consent`,
      maxRedirectUris: t`Redirect URIs per client`,
      redirectUriLength: t`Redirect URI`,
    },
  },
  intake: {
    label: t`Sending applications`,
    limits: {
      idempotencyKeyLength: 'Idempotency-Key',
      intakeKeySeconds: t`Lifetime of a key and its response`,
      intakeLeaseSeconds: t`Abandoned key`,
      intakeClaimSeconds: t`Request with a key`,
      screenQuestions: t`Questions per screen`,
      screenAnswers: t`Options per question`,
      questionIdLength: t`Question or option ID`,
    },
  },
  texts: {
    label: t`Texts and numbers`,
    limits: {
      nameLength: t`Names and titles`,
      emailLength: t`Email address`,
      phoneLength: t`Phone number`,
      referenceLength: t`Job reference`,
      longTextLength: t`Question or answer`,
      urlAnswerLength: t`Answer to a URLQuestion`,
      jobDescriptionLength: t`Job ad text`,
      privacyNoticeLength: t`Privacy notice`,
      monthsInRole: 'timeInRoleMonths',
      formUrlLength: 'applicationFormUrl',
      postalCodeLength: 'postalCode',
    },
  },
  waiting: {
    label: t`Waiting`,
    limits: {
      retryAfterSeconds: t`Retry-After of a 503`,
      unscannedRetryAfterSeconds: t`Retry-After for an unscanned file`,
      headersArriveSeconds: t`Receiving the headers`,
      requestArrivesSeconds: t`Receiving the request`,
      connectionIdleSeconds: t`Stalled connection`,
      keepAliveSeconds: t`Idle connection kept open`,
    },
  },
  people: {
    label: t`Candidates`,
    limits: {
      maxResumes: t`Resumes per candidate`,
      resumeUploadsPerHour: t`Resume uploads`,
      applicationsPerHour: t`Applications on our pages`,
      maxSkills: t`Skills in a profile`,
      maxWorkHistory: t`Jobs in a profile`,
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
  return html`<p>${t`All limits that apply to callers, with the values of this service and their reasons. Where a setting is named, the operator can change the value.`}</p>
${groups.map(([id, { label, limits }]) => html`${heading(2, id, label)}${groupTable(label, limits, known)}`)}`
}

function groupTable(caption: string, labels: Record<string, string>, known: ShownLimits): Html {
  return dataTable(
    caption,
    [{ label: t`Limit` }, { label: t`Value` }, { label: t`Reason` }],
    Object.entries(labels).map(([name, label]) => {
      const limit = known[name]
      if (limit === undefined) throw new Error(`No limit is called ${name}.`)
      const { value, reason, setting } = limit
      return [
        label,
        html`<strong>${inUnits(name, value)}</strong>`,
        html`${reason}${setting !== undefined && html`<span class="hint">${t`Setting ${setting}`}</span>`}`,
      ]
    }),
  )
}

/** Derives the unit from the last part of the name. */
function inUnits(name: string, value: number): string {
  const count = numberText(value)
  if (name.endsWith('Bytes')) {
    const kibibytes = value / 1024
    return kibibytes < 1024 ? t`${numberText(kibibytes)} KiB` : t`${numberText(kibibytes / 1024)} MiB`
  }
  if (name.endsWith('Seconds')) return t`${count} s`
  if (name.endsWith('Days')) return t`${count} days`
  if (name.endsWith('PerMinute')) return t`${count} per minute`
  if (name.endsWith('PerHour')) return t`${count} per hour`
  return name.endsWith('Length') ? t`${count} characters` : count
}
