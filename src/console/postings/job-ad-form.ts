import type { JobAdFields } from '../../model/job-ad.ts'

/** Submitted form fields; clients may send any names. */
export interface SentFields {
  get(name: string): string | undefined
}

/** An ad as entered in its form, not yet validated. */
export interface JobAdForm {
  title: string
  location: string
  description: string
  reference: string
  /** Questionnaire ID; empty for none. */
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

/** The form as an API request body. Empty fields are left out. */
export function bodyOfJobAd(form: JobAdForm, advertiserId: number): object {
  const screenId = form.screenId.trim()
  return {
    ...form,
    advertiserId,
    closingDate: form.closingDate.trim(),
    screenId: screenId === '' ? null : screenId,
  }
}
