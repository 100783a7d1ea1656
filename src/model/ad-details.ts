/** What an ad may say about a job beside its text. Stored as one JSON document; a field that is not there says nothing. */
export interface AdDetails {
  /** ISO 3166-1. */
  country?: string
  region?: string
  locality?: string
  workplace?: Workplace
  /** Where people may work from, if the work is remote. */
  remoteCountries?: string[]
  employmentTypes?: EmploymentType[]
  pay?: Pay
  /** Of the ad's text; BCP 47. */
  language?: string
  openings?: number
  /** Whether there is a position to fill now, or the company collects applications for later. */
  vacancy?: Vacancy
  /** Whether artificial intelligence takes part in the selection. */
  aiScreening?: boolean
}

export type DetailField = keyof AdDetails

/** Without `min`, up to `max`; without `max`, from `min`. */
export interface Pay {
  min?: number
  max?: number
  /** ISO 4217. */
  currency: string
  period: PayPeriod
  note?: string
}

export const workplaces = ['onSite', 'hybrid', 'remote'] as const
export type Workplace = (typeof workplaces)[number]

/** As search engines name them: https://developers.google.com/search/docs/appearance/structured-data/job-posting */
export const employmentTypes = [
  ...(['FULL_TIME', 'PART_TIME', 'CONTRACTOR', 'TEMPORARY', 'INTERN', 'VOLUNTEER'] as const),
  ...(['PER_DIEM', 'OTHER'] as const),
] as const
export type EmploymentType = (typeof employmentTypes)[number]

export const payPeriods = ['hour', 'day', 'week', 'month', 'year'] as const
export type PayPeriod = (typeof payPeriods)[number]

export const vacancies = ['existing', 'pool'] as const
export type Vacancy = (typeof vacancies)[number]

/** What narrows the list of jobs down. */
export interface AdFilter {
  workplace?: Workplace | undefined
  employmentType?: EmploymentType | undefined
  withPay?: boolean
}

/** The columns of an ad: the details, and what the list of jobs is filtered by. */
export const detailColumns = (details: AdDetails = {}) => ({
  details: Object.keys(details).length === 0 ? null : JSON.stringify(details),
  workplace: details.workplace ?? null,
  // Each between spaces, so that one is found by a part of the text.
  employment_types: details.employmentTypes ? ` ${details.employmentTypes.join(' ')} ` : null,
  has_pay: details.pay ? 1 : 0,
})

export const detailsOf = (stored: string | null): AdDetails => (stored === null ? {} : JSON.parse(stored))
