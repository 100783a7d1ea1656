import type { JobAdFields } from '../../model/job-ad.ts'

/** What a form sends; names may be anything. */
export interface SentFields {
  get(name: string): string | undefined
}

/** An ad as it stands in the fields of its form: whatever was typed, right or wrong. */
export interface JobAdForm {
  title: string
  location: string
  description: string
  reference: string
  /** The ID of a questionnaire; empty for none. */
  screenId: string
  closingDate: string
}

export const emptyJobAd: JobAdForm = {
  title: '',
  location: '',
  description: '',
  reference: '',
  screenId: '',
  closingDate: '',
}

export const jobAdFormFields = Object.keys(emptyJobAd) as (keyof JobAdForm)[]

export function readJobAdForm(fields: SentFields): JobAdForm {
  const text = (name: keyof JobAdForm) => (fields.get(name) ?? '').replaceAll(/\r\n?/g, '\n')
  return {
    title: text('title'),
    location: text('location'),
    description: text('description'),
    reference: text('reference'),
    screenId: text('screenId'),
    closingDate: text('closingDate'),
  }
}

export function formOfJobAd(ad: JobAdFields): JobAdForm {
  return {
    title: ad.title,
    location: ad.location,
    description: ad.description,
    reference: ad.reference ?? '',
    screenId: ad.screenId === null ? '' : String(ad.screenId),
    closingDate: ad.closingDate ?? '',
  }
}

/** What a program would send for it. Empty and not sent are the same. */
export function bodyOfJobAd(form: JobAdForm, advertiserId: number): object {
  const screenId = form.screenId.trim()
  return {
    ...form,
    advertiserId,
    closingDate: form.closingDate.trim(),
    screenId: screenId === '' ? null : screenId,
  }
}
