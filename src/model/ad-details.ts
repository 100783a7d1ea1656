/** Optional details of an ad, besides its text. Stored as one JSON document; a missing field says nothing. */
export interface AdDetails {
  /** ISO 3166-1. */
  country?: string
  region?: string
  locality?: string
  workplace?: Workplace
  /** Countries in which people may work, if the work is remote. */
  remoteCountries?: string[]
  employmentTypes?: EmploymentType[]
  pay?: Pay
  /** Language of the ad's text; BCP 47. */
  language?: string
  openings?: number
  /** Whether there is a position to fill now, or the company is collecting applications for later. */
  vacancy?: Vacancy
  /** Whether the company uses AI to select candidates. */
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

/** Named as search engines do: https://developers.google.com/search/docs/appearance/structured-data/job-posting */
export const employmentTypes = [
  ...(['FULL_TIME', 'PART_TIME', 'CONTRACTOR', 'TEMPORARY', 'INTERN', 'VOLUNTEER'] as const),
  ...(['PER_DIEM', 'OTHER'] as const),
] as const
export type EmploymentType = (typeof employmentTypes)[number]

export const payPeriods = ['hour', 'day', 'week', 'month', 'year'] as const
export type PayPeriod = (typeof payPeriods)[number]

export const vacancies = ['existing', 'pool'] as const
export type Vacancy = (typeof vacancies)[number]

/** Filters for the list of jobs. */
export interface AdFilter {
  workplace?: Workplace | undefined
  employmentType?: EmploymentType | undefined
  withPay?: boolean
}

/** The columns of an ad: the details, and the values by which the list of jobs is filtered. */
export const detailColumns = (details: AdDetails = {}) => ({
  details: Object.keys(details).length === 0 ? null : JSON.stringify(details),
  workplace: details.workplace ?? null,
  // Each between spaces, so that a search for part of the text finds it.
  employment_types: details.employmentTypes ? ` ${details.employmentTypes.join(' ')} ` : null,
  has_pay: details.pay ? 1 : 0,
})

export const detailsOf = (stored: string | null): AdDetails => (stored === null ? {} : JSON.parse(stored))
