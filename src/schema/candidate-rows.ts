import type { Selectable } from 'kysely'
import type { Candidate, Resume } from '../model/candidate.ts'
import { emptyProfile, type Profile } from '../model/profile.ts'
import type { Schema } from '../platform/database/tables.ts'

export const resumeColumns = [
  'id',
  'file_name',
  'content_type',
  'blob',
  'sha256',
  'size',
  'scan',
  'not_judged',
  'uploaded_at',
  'is_default',
] as const

type ResumeRow = Selectable<Pick<Schema['resumes'], (typeof resumeColumns)[number]>>

/** A candidate with the default resume, if there is one. */
export type CandidateRow = Pick<Schema['candidates'], 'email' | 'first_name' | 'last_name' | 'profile'> & {
  [Column in keyof ResumeRow]: ResumeRow[Column] | null
}

export function candidateOf(row: CandidateRow): Candidate {
  return {
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    profile: profileOf(row.profile),
    resume: row.id === null ? null : resumeOf(row as ResumeRow),
  }
}

export function resumeOf(row: ResumeRow): Resume {
  return {
    id: row.id,
    fileName: row.file_name,
    contentType: row.content_type,
    blob: row.blob,
    sha256: row.sha256,
    size: row.size,
    scan: row.not_judged === 1 ? 'not-judged' : row.scan,
    uploadedAt: row.uploaded_at,
    isDefault: row.is_default === 1,
  }
}

/** Fields that did not exist when the profile was stored are empty. */
export function profileOf(text: string): Profile {
  return { ...emptyProfile, ...JSON.parse(text) }
}
