import type { EpochMs } from '../../core/clock.ts'
import type { ApplicationFile, FileType, ResultQuestion, StoredFile } from '../../model/application.ts'
import type { ReadOnRecord } from '../../model/application-read.ts'
import type { ApplicationStatus, LastApplication } from '../../model/application-status.ts'
import type { Candidate, Resume } from '../../model/candidate.ts'
import type { ReceivedFile } from '../../model/stored-file.ts'
import type { NewApplication } from '../new-application.ts'

/** An application that a candidate sent, with the job ad as it was then. */
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

/** Who read applications, and of which advertiser they are. */
export interface OwnRead extends ReadOnRecord {
  advertiserId: number
}

/** What happened to an application, without the company's notes. */
export interface OwnHistoryEntry {
  at: EpochMs
  kind: 'status' | 'withdrawn' | 'document'
  status: ApplicationStatus | null
  /** The type of the document. */
  text: string | null
}

export interface ListedApplication extends OwnApplication {
  status: ApplicationStatus
  /** When its personal data was erased. */
  erasedAt: EpochMs | null
  /** When a person at the company first opened it. */
  openedAt: EpochMs | null
  /** Of the company. */
  logoHash: string | null
  files: SentFile[]
  hasAnswers: boolean
  /** Whether it includes details of the candidate's job. */
  hasWork: boolean
}

/** Everything that was sent. The outcome of the questionnaire is left out, because only the advertiser may see it. */
export interface SentApplication extends ListedApplication, Pick<NewApplication, 'contact'> {
  primaryJobSeekingInfo: NewApplication['primaryJobSeekingInfo'] | null
  questions: ResultQuestion[]
  /** When it will be erased. */
  erasureDueAt: EpochMs | null
  /** Oldest first. */
  history: OwnHistoryEntry[]
  /** Newest first. */
  reads: OwnRead[]
}

export interface Submission {
  /** Created with the form: sending the same form again yields the same application. */
  formKey: string
  /** One of the candidate's resumes, to be copied in its current state. */
  resumeId: string | undefined
  /** Also saves the uploaded resume for the candidate under this ID, unless there are already `max` of them. */
  keepResume?: { id: string; max: number } | undefined
  ad: Omit<OwnApplication, 'applicationId' | 'submittedAt'>
  application: NewApplication
}

export type Outcome =
  | { kind: 'sent' | 'repeated'; applicationId: number }
  /** Deleted, found infected, or not the candidate's. */
  | { kind: 'no-such-resume' }

/** `repeated`: withdrawn before; `erased`: nothing is left to withdraw. */
export type Withdrawal = 'withdrawn' | 'repeated' | 'erased' | 'unknown'

/** `too-late`: the company has seen the application, or it is withdrawn or erased. */
export type Replacement = 'replaced' | 'too-late' | 'unknown'

/** The last entry of a page; the next page continues with older ones. */
export interface Position {
  submittedAt: EpochMs
  applicationId: number
}

/** An advertiser that has applications of a candidate. */
export interface Holder {
  advertiserId: number
  advertiserName: string
  logoHash: string | null
  applications: number
  firstAt: EpochMs
  lastAt: EpochMs
  /** Names of the agents that it has authorised to read its applications. */
  agents: string[]
}

/** Every call takes the candidate first, so no query can reach another candidate's data. */
export interface OwnApplicationStore {
  /** Stores the application and the record of its form in one durable step; does nothing if the form was sent before. */
  send(candidateId: string, submission: Submission, now: EpochMs): Promise<Outcome>
  /** The application that this form has created. */
  findSent(candidateId: string, formKey: string): Promise<number | undefined>
  lastFor(candidateId: string, jobAdId: number): Promise<LastApplication | undefined>
  /** Newest first. */
  list(candidateId: string, before: Position | undefined, limit: number): Promise<ListedApplication[]>
  find(candidateId: string, applicationId: number): Promise<SentApplication | undefined>
  /** One of the files that were sent, as the advertiser has it. */
  file(candidateId: string, applicationId: number, type: FileType): Promise<StoredFile | undefined>
  /** Withdraws an application for good, and plans its erasure. */
  withdraw(
    candidateId: string,
    applicationId: number,
    times: { now: EpochMs; eraseAt: EpochMs },
  ): Promise<Withdrawal>
  /** Replaces or adds a document, unless the application has been read, or was sent before reads are on record. */
  replaceFile(
    candidateId: string,
    applicationId: number,
    file: ApplicationFile,
    times: { now: EpochMs; recordedSince: EpochMs },
  ): Promise<Replacement>
  /** Reads of the candidate's applications, newest first. */
  reads(candidateId: string): Promise<OwnRead[]>
  /** The advertisers that have applications of the candidate, the most recent recipient first. */
  holders(candidateId: string, limit: number): Promise<Holder[]>
}

/** What the form shows about the candidate. */
export interface Applicants {
  find(candidateId: string): Promise<Candidate | undefined>
  /** Newest first. */
  listResumes(candidateId: string): Promise<Resume[]>
}
