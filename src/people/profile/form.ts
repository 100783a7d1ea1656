import { sha256Hex } from '../../core/hashing.ts'
import type { Limits } from '../../limits.ts'
import type { Job, Profile, SalaryAndVisa } from '../../model/profile.ts'

/** The fields of a submitted form, under any names. */
export interface SentFields {
  get(name: string): string | undefined
  names(): string[]
}

/** The profile as typed into the form, valid or not. */
export interface ProfileForm {
  firstName: string
  lastName: string
  phone: string
  location: string
  qualification: string
  /** One per line. */
  skills: string
  jobs: JobForm[]
  countries: CountryForm[]
}

export interface JobForm {
  title: string
  company: string
  industry: string
  achievements: string
  from: string
  to: string
  isCurrent: boolean
  isRemoved: boolean
}

export interface CountryForm {
  country: string
  description: string
  hasWorkingVisa: boolean
  salary: string
  salaryType: string
  isRemoved: boolean
}

export const emptyJob: JobForm = {
  title: '',
  company: '',
  industry: '',
  achievements: '',
  from: '',
  to: '',
  isCurrent: false,
  isRemoved: false,
}

export const emptyCountry: CountryForm = {
  country: '',
  description: '',
  hasWorkingVisa: false,
  salary: '',
  salaryType: 'Annual',
  isRemoved: false,
}

export const jobField = (index: number, part: keyof JobForm) => `job-${index}-${part}`
export const countryField = (index: number, part: keyof CountryForm) => `country-${index}-${part}`

export function readProfileForm(fields: SentFields): ProfileForm {
  const text = (name: string) => fields.get(name) ?? ''
  const isTicked = (name: string) => fields.get(name) !== undefined
  const names = fields.names()
  return {
    firstName: text('firstName'),
    lastName: text('lastName'),
    phone: text('phone'),
    location: text('location'),
    qualification: text('qualification'),
    skills: text('skills'),
    jobs: rowsIn(names, 'job').map(row => ({
      title: text(jobField(row, 'title')),
      company: text(jobField(row, 'company')),
      industry: text(jobField(row, 'industry')),
      achievements: text(jobField(row, 'achievements')),
      from: text(jobField(row, 'from')),
      to: text(jobField(row, 'to')),
      isCurrent: isTicked(jobField(row, 'isCurrent')),
      isRemoved: isTicked(jobField(row, 'isRemoved')),
    })),
    countries: rowsIn(names, 'country').map(row => ({
      country: text(countryField(row, 'country')),
      description: text(countryField(row, 'description')),
      hasWorkingVisa: isTicked(countryField(row, 'hasWorkingVisa')),
      salary: text(countryField(row, 'salary')),
      salaryType: text(countryField(row, 'salaryType')),
      isRemoved: isTicked(countryField(row, 'isRemoved')),
    })),
  }
}

function rowsIn(names: readonly string[], kind: 'job' | 'country'): number[] {
  // Two digits: more rows than a profile may have, and few enough to look up one by one.
  const pattern = new RegExp(`^${kind}-(0|[1-9][0-9]?)-`)
  const found = names.flatMap(name => pattern.exec(name)?.[1] ?? [])
  return [...new Set(found)].map(Number).toSorted((a, b) => a - b)
}

/** An empty fieldset is not an entry. The salary type is always selected, so it does not count. */
export function isEmptyJob(job: JobForm): boolean {
  return (
    !job.isCurrent &&
    [job.title, job.company, job.industry, job.achievements, job.from, job.to].every(isBlank)
  )
}

export function isEmptyCountry(entry: CountryForm): boolean {
  return !entry.hasWorkingVisa && [entry.country, entry.description, entry.salary].every(isBlank)
}

const isBlank = (value: string) => value.trim() === ''

/** Fills the form from the stored profile. */
export function formOfProfile(name: { firstName: string; lastName: string }, profile: Profile): ProfileForm {
  return {
    firstName: name.firstName,
    lastName: name.lastName,
    phone: profile.phoneNumber ?? '',
    location: profile.currentLocation?.id ?? '',
    qualification: profile.highestQualification?.id ?? '',
    skills: profile.skills.join('\n'),
    jobs: profile.workHistory.map(formOfJob),
    countries: Object.entries(profile.salaryAndVisaByCountry).map(formOfCountry),
  }
}

/** Fingerprint of the stored profile that a form was made from, to detect a change by another window. */
export function versionOf(form: ProfileForm): string {
  return sha256Hex(JSON.stringify(form)).slice(0, 16)
}

function formOfJob(job: Job): JobForm {
  return {
    title: job.jobTitle,
    company: job.companyName,
    industry: job.industry?.id ?? '',
    achievements: job.achievements,
    from: job.from,
    to: job.to ?? '',
    isCurrent: job.to === null,
    isRemoved: false,
  }
}

function formOfCountry([country, entry]: [string, SalaryAndVisa]): CountryForm {
  return {
    country,
    description: entry.description,
    hasWorkingVisa: entry.hasWorkingVisa,
    salary: String(entry.minimumSalaryValue),
    salaryType: entry.salaryType,
    isRemoved: false,
  }
}

/** Adds room for one more job and for a first country only: few people need two, and the list of countries is long. */
export function withRoom(form: ProfileForm, most: Pick<Limits, 'workHistory'>): ProfileForm {
  const { jobs, countries } = form
  return {
    ...form,
    jobs: jobs.some(isEmptyJob) || jobs.length >= most.workHistory ? jobs : [...jobs, emptyJob],
    countries: countries.length > 0 ? countries : [emptyCountry],
  }
}

/** The fields that a browser would send for the form, as pairs. */
export function fieldsOfForm(form: ProfileForm): [string, string][] {
  const { jobs, countries, ...single } = form
  const ticked = (name: string, isSet: boolean): [string, string][] => (isSet ? [[name, 'yes']] : [])
  return [
    ...Object.entries(single),
    ...jobs.flatMap((job, row) => rowFields(job, part => jobField(row, part), ticked)),
    ...countries.flatMap((entry, row) => rowFields(entry, part => countryField(row, part), ticked)),
  ]
}

function rowFields<Row extends object>(
  row: Row,
  nameOf: (part: keyof Row) => string,
  ticked: (name: string, isSet: boolean) => [string, string][],
): [string, string][] {
  return Object.entries(row).flatMap(([part, value]) => {
    const name = nameOf(part as keyof Row)
    return typeof value === 'boolean' ? ticked(name, value) : [[name, String(value)] as [string, string]]
  })
}

/** The length of that request's body. Browsers send a line break as two characters, each encoded as three. */
export function encodedBytes(form: ProfileForm): number {
  const body = new URLSearchParams()
  for (const [name, value] of fieldsOfForm(form)) body.append(name, value.replaceAll(/\r?\n/g, '\r\n'))
  return body.toString().length
}
