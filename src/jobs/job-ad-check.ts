import { type AdRuleSet, brokenRules } from '../model/ad-rules.ts'
import { isCalendarDay, type JobAdFields } from '../model/job-ad.ts'
import { nameLength, referenceLength } from '../model/text-lengths.ts'
import {
  closedObject,
  Fault,
  numericId,
  optional,
  readBy,
  readJson,
  wrongType,
} from '../platform/core/input/json-body.ts'
import { Type } from '../platform/core/input/json-schema.ts'
import { Problem } from '../platform/core/problems.ts'
import { adDetails } from './ad-details-check.ts'
import { line, text } from './text-field.ts'

/** Limit: The text of a job ad: ten printed pages. */
export const jobDescriptionLength = 20_000

export type JobAdBody = ReturnType<typeof jobAdBody>

export const advertiserId = () =>
  numericId('The ID of an advertiser listed on the client: a number, or a string of digits.')

export const shownDay = Type.String({
  format: 'date',
  description: 'The last day on which candidates can apply, in the time zone of the advertiser.',
})

function readDay(sent: unknown): string | Fault {
  if (typeof sent !== 'string') return wrongType('a string')
  return sent === '' || isCalendarDay(sent)
    ? sent
    : new Fault('invalid', 'must be a valid date of the form YYYY-MM-DD, or null')
}

/** Describes the body of a job ad. `adRules`: rules that require fields. */
export const jobAdBody = (adRules: readonly AdRuleSet[] = []) =>
  closedObject(
    {
      advertiserId: advertiserId(),
      title: line(nameLength, true, 'One line.'),
      location: line(nameLength, true, 'One line.'),
      description: text(
        { maxLength: jobDescriptionLength, isRequired: true },
        'Line breaks are kept. Pages show a subset of Markdown: headings, lists, emphasis and links.',
      ),
      reference: optional(
        line(referenceLength, false, "The advertiser's own reference, returned by version 1."),
      ),
      screenId: optional(
        numericId('The ID of an open screen of the same advertiser: a number, or a string of digits.'),
      ),
      closingDate: optional(readBy(shownDay, readDay)),
      ...adDetails(),
    },
    {
      rules({ workplace, remoteCountries }, refuse, isSent) {
        if (remoteCountries !== undefined && workplace !== 'remote')
          refuse('remoteCountries', 'not-remote', 'can only be sent with the workplace remote')
        for (const { field, level, reason } of brokenRules(adRules)) {
          if (level === 'required' && !isSent(field)) refuse(field, 'required', mustBeSent(reason))
        }
      },
    },
  )

/** Removes the reason's full stop, because each message ends with one. */
const mustBeSent = (reason: string) => `must be sent. ${reason.replace(/\.$/, '')}`

/** Throws like `readJobAd` if an ad to be opened lacks a field that is now required. */
export function assertRequired({ details }: JobAdFields, adRules: readonly AdRuleSet[] = []): void {
  const errors = brokenRules(adRules, details)
    .filter(({ level }) => level === 'required')
    .map(({ field, reason }) => ({ field, code: 'required', message: `${field} ${mustBeSent(reason)}.` }))
  if (errors.length === 0) return
  const next = 'Replace the ad by one with the fields listed in "errors", and open it again.'
  throw new Problem('invalid-fields', next, { errors })
}

/** Parses a job ad; throws one error listing all invalid fields. */
export function readJobAd(
  body: unknown,
  description: JobAdBody,
): { advertiserId: number; content: JobAdFields } {
  const {
    advertiserId,
    title,
    location,
    description: text,
    reference,
    screenId,
    closingDate,
    ...details
  } = readJson(description, body)
  const content = {
    title,
    location,
    description: text,
    details,
    reference: reference || null,
    screenId: screenId ?? null,
    closingDate: closingDate || null,
  }
  return { advertiserId, content }
}
