import type { EpochMs } from '../../core/clock.ts'
import type { FileType, ScreenQuestion, StoredFile } from '../../model/application.ts'
import type { Candidate, Resume } from '../../model/candidate.ts'
import type { ReceivedFile } from '../../model/stored-file.ts'
import type { NewApplication } from '../new-application.ts'

/** One form that a candidate has sent, with the ad as it stood there then. */
export interface OwnApplication {
  applicationId: number
  advertiserId: number
  jobAdId: number
  jobTitle: string
  jobLocation: string
  advertiserName: string
  submittedAt: EpochMs
}

export type SentFile = Pick<ReceivedFile, 'fileName' | 'contentType' | 'size' | 'scan'> & { type: FileType }

export interface ListedApplication extends OwnApplication {
  files: SentFile[]
  hasAnswers: boolean
  /** Whether something about the candidate's job went along. */
  hasWork: boolean
}

/** All that was sent. How the questionnaire came out is for the advertiser, and is not in here. */
export interface SentApplication extends ListedApplication, Pick<NewApplication, 'contact'> {
  primaryJobSeekingInfo: NewApplication['primaryJobSeekingInfo'] | null
  questions: ScreenQuestion[]
}

export interface Submission {
  /** Made with the form: the same form again is the same application. */
  formKey: string
  /** One of the candidate's resumes, which goes along as it is at this moment. */
  resumeId: string | undefined
  /** The uploaded resume stays with the candidate as well, under this ID, unless there are `most` of them already. */
  keepResume?: { id: string; most: number } | undefined
  ad: Omit<OwnApplication, 'applicationId' | 'submittedAt'>
  application: NewApplication
}

export type Outcome =
  | { kind: 'sent' | 'repeated'; applicationId: number }
  /** Deleted, found infected, or not the candidate's. */
  | { kind: 'no-such-resume' }

/** The end of a page: what follows is older. */
export interface Position {
  submittedAt: EpochMs
  applicationId: number
}

/** An advertiser that has applications of a candidate. */
export interface Holder {
  advertiserName: string
  applications: number
  firstAt: EpochMs
  lastAt: EpochMs
  /** Those that it has authorised to read its applications, by name. */
  agents: string[]
}

/** Candidate first in every call: no query of the store can reach over to another's data. */
export interface OwnApplicationStore {
  /** One durable step: the application, the record that this form made it, and nothing at all when it did before. */
  send(candidateId: string, submission: Submission, now: EpochMs): Promise<Outcome>
  /** The application that this form has made. */
  findSent(candidateId: string, formKey: string): Promise<number | undefined>
  /** When the candidate last applied for this ad. */
  lastFor(candidateId: string, jobAdId: number): Promise<EpochMs | undefined>
  /** Newest first. */
  list(candidateId: string, before: Position | undefined, limit: number): Promise<ListedApplication[]>
  find(candidateId: string, applicationId: number): Promise<SentApplication | undefined>
  /** One of the files that were sent, as the advertiser has it. */
  file(candidateId: string, applicationId: number, type: FileType): Promise<StoredFile | undefined>
  /** Those with an application of the candidate, whoever got one last first. */
  holders(candidateId: string, limit: number): Promise<Holder[]>
}

/** What the form shows of the candidate. */
export interface Applicants {
  find(candidateId: string): Promise<Candidate | undefined>
  /** Newest first. */
  listResumes(candidateId: string): Promise<Resume[]>
}
