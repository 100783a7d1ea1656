import type { Profile } from '../../model/profile.ts'
import type { ScanState } from '../../model/scan-state.ts'

/** The parts of a profile that fill in most application forms, in the order of our form. */
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

/** Returns the parts that a prefill would leave empty. A resume that cannot be shared counts as missing. */
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
