import type { Candidate } from '../../model/candidate.ts'
import { type Category, includes } from '../../model/categories.ts'
import type { Profile } from '../../model/profile.ts'
import type { EpochMs } from '../../platform/core/clock.ts'

export interface PrefilledApplication {
  id: string
  createdAt: EpochMs
  updatedAt: EpochMs
  /** Identifier under which this grant may read the resume. */
  releasedResumeId: string | null
  /** Bits of the released categories, read in the transaction that recorded the disclosure. */
  released: number
}

/** Builds the response. Every key is always present, so that empty and unreleased data look alike. */
export function prefillResponse(
  application: PrefilledApplication,
  { profile, ...person }: Candidate,
  baseUrl: string,
) {
  const { id, createdAt, updatedAt, releasedResumeId, released } = application
  const ifReleased = <T, E>(category: Category, value: T, otherwise: E): T | E =>
    includes(released, category) ? value : otherwise
  return {
    id,
    created: new Date(createdAt).toISOString(),
    updated: new Date(updatedAt).toISOString(),
    applicantInfo: {
      firstName: person.firstName,
      lastName: person.lastName,
      emailAddress: person.email,
      phoneNumber: ifReleased('phone', profile.phoneNumber, null),
      currentLocation: ifReleased('location', profile.currentLocation, null),
      highestQualification: ifReleased('qualification', profile.highestQualification, null),
      skills: ifReleased('qualification', profile.skills, []),
      salaryAndVisaByCountry: ifReleased('salary', rightsOf(profile), {}),
      workHistory: ifReleased('workHistory', jobsOf(profile), []),
    },
    resume: releasedResumeId === null ? null : { link: `${baseUrl}/v2/resumes/${releasedResumeId}` },
    complete: `${baseUrl}/v2/applications/${id}/complete`,
  }
}

const orNull = (text: string): string | null => (text === '' ? null : text)

function jobsOf({ workHistory }: Profile) {
  return workHistory.map(job => ({ ...job, achievements: orNull(job.achievements) }))
}

function rightsOf({ salaryAndVisaByCountry }: Profile) {
  const entries = Object.entries(salaryAndVisaByCountry)
  return Object.fromEntries(
    entries.map(([country, rights]) => [country, { ...rights, description: orNull(rights.description) }]),
  )
}
