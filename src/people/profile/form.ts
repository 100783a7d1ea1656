import type { Job, Profile, SalaryAndVisa } from '../../model/profile.ts'
import { sha256Hex } from '../../platform/core/hashing.ts'

/** The sections of a profile, each edited by its own form. Jobs and countries are edited one at a time. */
export const sections = ['about', 'skills', 'job', 'country'] as const
export type Section = (typeof sections)[number]

/** Everything that the candidate edits. */
export interface NamedProfile {
  firstName: string
  lastName: string
  profile: Profile
}

/** The fields of each section's form as typed, whether or not valid. */
export interface AboutForm {
  firstName: string
  lastName: string
  phone: string
  location: string
  qualification: string
}

export interface SkillsForm {
  /** One per line. */
  skills: string
}

export interface JobForm {
  title: string
  company: string
  industry: string
  achievements: string
  from: string
  to: string
  isCurrent: boolean
}

export interface CountryForm {
  country: string
  description: string
  hasWorkingVisa: boolean
  salary: string
  salaryType: string
}

export type SectionForm =
  | { section: 'about'; form: AboutForm }
  | { section: 'skills'; form: SkillsForm }
  | { section: 'job'; form: JobForm }
  | { section: 'country'; form: CountryForm }

export const emptyJob: JobForm = {
  title: '',
  company: '',
  industry: '',
  achievements: '',
  from: '',
  to: '',
  isCurrent: false,
}

export const emptyCountry: CountryForm = {
  country: '',
  description: '',
  hasWorkingVisa: false,
  salary: '',
  salaryType: 'Annual',
}

export function readSectionForm(
  section: Section,
  fields: { get(name: string): string | undefined },
): SectionForm {
  const text = (name: string) => fields.get(name) ?? ''
  const isTicked = (name: string) => fields.get(name) !== undefined
  switch (section) {
    case 'about':
      return {
        section,
        form: {
          firstName: text('firstName'),
          lastName: text('lastName'),
          phone: text('phone'),
          location: text('location'),
          qualification: text('qualification'),
        },
      }
    case 'skills':
      return { section, form: { skills: text('skills') } }
    case 'job':
      return {
        section,
        form: {
          title: text('title'),
          company: text('company'),
          industry: text('industry'),
          achievements: text('achievements'),
          from: text('from'),
          to: text('to'),
          isCurrent: isTicked('isCurrent'),
        },
      }
    case 'country':
      return {
        section,
        form: {
          country: text('country'),
          description: text('description'),
          hasWorkingVisa: isTicked('hasWorkingVisa'),
          salary: text('salary'),
          salaryType: text('salaryType'),
        },
      }
  }
}

export type CountryEntry = [code: string, entry: SalaryAndVisa]

/**
 * Fingerprint of the stored values that a form was made from, to find a job or country again and to detect a change by
 * another window. Empty for a new job or country.
 */
export function versionOf(stored: Job | CountryEntry | AboutForm | readonly string[]): string {
  return sha256Hex(JSON.stringify(stored)).slice(0, 16)
}

export const jobWith = (profile: Profile, version: string) =>
  profile.workHistory.find(job => versionOf(job) === version)

export const countryWith = (profile: Profile, version: string): CountryEntry | undefined =>
  Object.entries(profile.salaryAndVisaByCountry).find(entry => versionOf(entry) === version)

/**
 * The form of a section filled from the stored profile, or of its job or country with this version; undefined if none
 * has this version.
 */
export function formOfSection(
  section: Section,
  named: NamedProfile,
  version: string,
  home = '',
): { filled: SectionForm; version: string } | undefined {
  const { profile } = named
  switch (section) {
    case 'about': {
      const form = aboutForm(named)
      return { filled: { section, form }, version: versionOf(form) }
    }
    case 'skills':
      return {
        filled: { section, form: { skills: profile.skills.join('\n') } },
        version: versionOf(profile.skills),
      }
    case 'job': {
      const job = jobWith(profile, version)
      if (version === '') return { filled: { section, form: emptyJob }, version }
      return job && { filled: { section, form: formOfJob(job) }, version }
    }
    case 'country': {
      const entry = countryWith(profile, version)
      if (version === '')
        return {
          filled: {
            section,
            form: { ...emptyCountry, country: home in profile.salaryAndVisaByCountry ? '' : home },
          },
          version,
        }
      return entry && { filled: { section, form: formOfCountry(entry) }, version }
    }
  }
}

export function aboutForm({ firstName, lastName, profile }: NamedProfile): AboutForm {
  return {
    firstName,
    lastName,
    phone: profile.phoneNumber ?? '',
    location: profile.currentLocation?.id ?? '',
    qualification: profile.highestQualification?.id ?? '',
  }
}

export function formOfJob(job: Job): JobForm {
  return {
    title: job.jobTitle,
    company: job.companyName,
    industry: job.industry?.id ?? '',
    achievements: job.achievements,
    from: job.from,
    to: job.to ?? '',
    isCurrent: job.to === null,
  }
}

export function formOfCountry([country, entry]: CountryEntry): CountryForm {
  return {
    country,
    description: entry.description,
    hasWorkingVisa: entry.hasWorkingVisa,
    salary: String(entry.minimumSalaryValue),
    salaryType: entry.salaryType,
  }
}

/** Longer than the form of any section. Browsers send a line break as two characters, each encoded as three. */
export function encodedBytes(named: NamedProfile): number {
  const text = JSON.stringify(named).replaceAll('\\n', '\r\n')
  return new URLSearchParams({ text }).toString().length
}
