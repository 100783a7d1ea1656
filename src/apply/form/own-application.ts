import type { AdVersion } from '../../model/ad-version.ts'
import type { AnyFileType, ResultQuestion } from '../../model/application.ts'
import type { ReadOnRecord } from '../../model/application-read.ts'
import type { ApplicationStatus, ProgressReason } from '../../model/application-status.ts'
import type { PrivacyNotice } from '../../model/privacy-notice.ts'
import type { ReceivedFile } from '../../platform/blobs/stored-file.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { NewApplication } from '../new-application.ts'

/** An application that a candidate sent, with the job ad of that time. */
export interface OwnApplication {
  applicationId: number
  advertiserId: number
  jobAdId: number
  jobTitle: string
  jobLocation: string
  advertiserName: string
  submittedAt: EpochMs
}

export type SentFile = Pick<ReceivedFile, 'fileName' | 'contentType' | 'size' | 'scan'> & {
  type: AnyFileType
}

/** A read of applications, and the advertiser that has them. */
export interface OwnRead extends ReadOnRecord {
  advertiserId: number
}

/** An entry of an application's history, without the company's notes. */
export interface OwnHistoryEntry {
  at: EpochMs
  kind: 'status' | 'withdrawn' | 'document'
  status: ApplicationStatus | null
  /** The type of the document. */
  text: string | null
  /** As the company's program reported it; null if the company does not show it. */
  reason: ProgressReason | null
}

export interface ListedApplication extends OwnApplication {
  status: ApplicationStatus
  /** When its personal data was erased. */
  erasedAt: EpochMs | null
  /** When the company, its software or an agent first read it: any kind of read counts. */
  firstReadAt: EpochMs | null
  /** Hash of the company's logo. */
  logoHash: string | null
  files: SentFile[]
  hasAnswers: boolean
  /** Whether it includes details of the candidate's job. */
  hasWork: boolean
}

/** The whole submission. The outcome of the questionnaire is left out, because only the advertiser may see it. */
export interface SentApplication extends ListedApplication, Pick<NewApplication, 'contact'> {
  primaryJobSeekingInfo: NewApplication['primaryJobSeekingInfo'] | null
  questions: ResultQuestion[]
  /** The company's privacy notice above the form; null if there was none. */
  privacyNotice: PrivacyNotice | null
  /** The job ad at that time; null if unknown. */
  seenAd: AdVersion | null
  /** When the application will be erased. */
  erasureDueAt: EpochMs | null
  /** Oldest first. */
  history: OwnHistoryEntry[]
  /** Newest first. */
  reads: OwnRead[]
}

/** The answers of a submitted application. */
export interface AnsweredScreen extends Pick<OwnApplication, 'advertiserName' | 'submittedAt'> {
  questions: ResultQuestion[]
}

export interface Submission {
  /** Created with the form: sending the same form again yields the same application. */
  formKey: string
  /**
   * The draft that the form was made from, and the types that the files in its fields have in the application; by
   * default none.
   */
  draft?: { version: number; files: ReadonlyMap<string, AnyFileType> }
  /** One of the candidate's resumes, to be copied in its current state. */
  resumeId: string | undefined
  /** Also saves the uploaded resume for the candidate under this ID, unless there are already `max` of them. */
  keepResume?: { id: string; max: number } | undefined
  /** The last day for which the company may keep it for other jobs; null: none. */
  keepUntil?: string | null
  ad: Omit<OwnApplication, 'applicationId' | 'submittedAt'>
  application: NewApplication
}

export type Outcome =
  | { kind: 'sent' | 'repeated'; applicationId: number }
  /** The resume was deleted, found infected, or is not the candidate's. */
  | { kind: 'no-such-resume' }
  /** The operator has taken the ad off the board since the form was read. */
  | { kind: 'held' }

/** The last entry of a page; the next page continues with older ones. */
export interface Position {
  submittedAt: EpochMs
  applicationId: number
}

/** An advertiser that has applications of a candidate. */
export interface ApplicationRecipient {
  advertiserId: number
  advertiserName: string
  logoHash: string | null
  /** Null for the operator's time zone. */
  timeZone: string | null
  applications: number
  firstAt: EpochMs
  lastAt: EpochMs
  /** Applications that it may keep for other jobs. */
  kept: { applicationId: number; jobTitle: string; until: string }[]
  /** Names of the agents that it has authorised to read its applications. */
  agents: string[]
}
