import {
  closedObject,
  Fault,
  numericId,
  optional,
  readBy,
  readJson,
  wrongType,
} from '../core/input/json-body.ts'
import { Type } from '../core/input/json-schema.ts'
import type { Limits } from '../limits.ts'
import { isCalendarDay, type JobAdFields } from '../model/job-ad.ts'
import { line, text } from './text-field.ts'

export type JobAdLimits = Pick<Limits, 'nameLength' | 'jobDescriptionLength' | 'referenceLength'>
export type JobAdBody = ReturnType<typeof jobAdBody>

export const advertiserId = () =>
  numericId('The ID of an advertiser listed on the client: a number, or a string of digits.')

export const shownDay = Type.String({
  format: 'date',
  description: 'The last day on which candidates can apply, in AEST.',
})

function readDay(sent: unknown): string | Fault {
  if (typeof sent !== 'string') return wrongType('a string')
  return sent === '' || isCalendarDay(sent)
    ? sent
    : new Fault('invalid', 'must be a valid date of the form YYYY-MM-DD, or null')
}

/** Describes the body of a job ad. */
export const jobAdBody = ({ nameLength, jobDescriptionLength, referenceLength }: JobAdLimits) =>
  closedObject({
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
  })

/** Reads a job ad from a JSON body; throws with every invalid field. */
export function readJobAd(
  body: unknown,
  description: JobAdBody,
): { advertiserId: number; content: JobAdFields } {
  const { advertiserId, reference, screenId, closingDate, ...texts } = readJson(description, body)
  const content = {
    ...texts,
    reference: reference || null,
    screenId: screenId ?? null,
    closingDate: closingDate || null,
  }
  return { advertiserId, content }
}
