import type { EpochMs } from '../../core/clock.ts'
import type { Candidate, Resume } from '../../model/candidate.ts'
import type { NamedProfile } from './form.ts'

/** Every call takes the candidate first, so that no query can reach another candidate's data. */
export interface CandidateStore {
  /** Includes the default resume, in one query. */
  find(candidateId: string): Promise<Candidate | undefined>
  /**
   * Stores what `change` makes of the stored profile, if anything, and returns it. Serialised per candidate, so that of
   * two changes at the same moment neither undoes the other. Undefined when there is no such candidate.
   */
  changeProfile<Result extends { next?: NamedProfile }>(
    candidateId: string,
    change: (stored: NamedProfile) => Result,
  ): Promise<Result | undefined>
  /** Newest first. */
  listResumes(candidateId: string): Promise<Resume[]>
  findResume(candidateId: string, resumeId: string): Promise<Resume | undefined>
  /** The first becomes the default. False when there are already `most`. */
  addResume(candidateId: string, resume: Omit<Resume, 'isDefault'>, most: number): Promise<boolean>
  /** False when there is no such resume. */
  chooseDefault(candidateId: string, resumeId: string): Promise<boolean>
  /** When the default is removed, the newest remaining one becomes the default. False when there is no such resume. */
  removeResume(candidateId: string, resumeId: string, at: EpochMs): Promise<boolean>
}
