import type { Profile } from '../../model/profile.ts'
import type { ScanState } from '../../model/scan-state.ts'

/** What makes a profile that fills in most of an application form, in the order of the form. */
export const profileParts = [
  'phone',
  'location',
  'qualification',
  'skills',
  'workHistory',
  'salary',
  'resume',
] as const
export type ProfilePart = (typeof profileParts)[number]

/** The parts that a prefill would leave empty. A resume that nobody gets is none. */
export function missingParts(profile: Profile, resume: { scan: ScanState } | null): ProfilePart[] {
  const isThere: Record<ProfilePart, boolean> = {
    phone: profile.phoneNumber !== null,
    location: profile.currentLocation !== null,
    qualification: profile.highestQualification !== null,
    skills: profile.skills.length > 0,
    workHistory: profile.workHistory.length > 0,
    salary: Object.keys(profile.salaryAndVisaByCountry).length > 0,
    resume: resume !== null && resume.scan !== 'infected',
  }
  return profileParts.filter(part => !isThere[part])
}
