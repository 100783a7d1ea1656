import { readJsonObject } from '../core/input/json-fields.ts'
import { isCalendarDay, type JobAdFields } from '../model/job-ad.ts'
import { lineBreakOrTab, readText } from './text-field.ts'

export interface JobAdLimits {
  nameLength: number
  jobDescriptionLength: number
  referenceLength: number
}

/** Reads a job ad from a JSON body; throws with every invalid field. */
export function readJobAd(
  body: unknown,
  { nameLength, jobDescriptionLength, referenceLength }: JobAdLimits,
): { advertiserId: number; content: JobAdFields } {
  return readJsonObject(body, fields => {
    const closingDate = fields.optionalText('closingDate') || null
    if (closingDate !== null && !isCalendarDay(closingDate)) {
      fields.refuse('closingDate', 'invalid', 'must be a valid date of the form YYYY-MM-DD, or null')
    }
    return {
      advertiserId: fields.id('advertiserId'),
      content: {
        title: readText(fields, 'title', {
          maxLength: nameLength,
          isRequired: true,
          notOnOneLine: lineBreakOrTab,
        }),
        location: readText(fields, 'location', {
          maxLength: nameLength,
          isRequired: true,
          notOnOneLine: lineBreakOrTab,
        }),
        description: readText(fields, 'description', { maxLength: jobDescriptionLength, isRequired: true }),
        reference:
          readText(fields, 'reference', { maxLength: referenceLength, notOnOneLine: lineBreakOrTab }) || null,
        screenId: fields.isSent('screenId') ? fields.id('screenId') : null,
        closingDate,
      },
    }
  })
}
