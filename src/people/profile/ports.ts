import type { EpochMs } from '../../core/clock.ts'
import type { Candidate, Resume } from '../../model/candidate.ts'
import type { NamedProfile } from './check.ts'

/** Candidate first in every call: no query of the store can reach over to another's data. */
export interface CandidateStore {
  /** With the default resume, in one look. */
  find(candidateId: string): Promise<Candidate | undefined>
  /** False when there is no such candidate. */
  saveProfile(candidateId: string, value: NamedProfile): Promise<boolean>
  /** Newest first. */
  listResumes(candidateId: string): Promise<Resume[]>
  findResume(candidateId: string, resumeId: string): Promise<Resume | undefined>
  /** The first becomes the default. False when there are `most` of them already. */
  addResume(candidateId: string, resume: Omit<Resume, 'isDefault'>, most: number): Promise<boolean>
  /** False when there is no such resume. */
  chooseDefault(candidateId: string, resumeId: string): Promise<boolean>
  /** After the default one the newest that is left becomes it. False when there is no such resume. */
  removeResume(candidateId: string, resumeId: string, at: EpochMs): Promise<boolean>
}
