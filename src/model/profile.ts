import { bitsOf, type Category } from './categories.ts'

/** Limit: Resumes of one candidate. */
export const maxResumes = 20

/** A candidate's data besides name and email address; stored as one JSON document. */
export interface Profile {
  phoneNumber: string | null
  currentLocation: Choice | null
  highestQualification: Choice | null
  skills: string[]
  /** Keyed by two-letter country code. */
  salaryAndVisaByCountry: Record<string, SalaryAndVisa>
  workHistory: Job[]
}

/** An entry of one of the lists in reference-lists.ts. */
export interface Choice {
  id: string
  description: string
}

export interface SalaryAndVisa {
  /** The basis of the right to work there, in the candidate's words. */
  description: string
  hasWorkingVisa: boolean
  minimumSalaryValue: number
  salaryType: string
}

export interface Job {
  jobTitle: string
  companyName: string
  industry: Choice | null
  achievements: string
  /** YYYY-MM */
  from: string
  /** YYYY-MM, or null while the candidate still works there. */
  to: string | null
}

export const emptyProfile: Profile = {
  phoneNumber: null,
  currentLocation: null,
  highestQualification: null,
  skills: [],
  salaryAndVisaByCountry: {},
  workHistory: [],
}

/** The categories that contain something to share, as bits. */
export function filledCategories(profile: Profile, hasResume: boolean): number {
  const isFilled: Record<Category, boolean> = {
    phone: profile.phoneNumber !== null,
    location: profile.currentLocation !== null,
    qualification: profile.highestQualification !== null || profile.skills.length > 0,
    workHistory: profile.workHistory.length > 0,
    salary: Object.keys(profile.salaryAndVisaByCountry).length > 0,
    resume: hasResume,
  }
  return bitsOf((Object.keys(isFilled) as Category[]).filter(category => isFilled[category]))
}
