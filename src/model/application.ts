import type { EpochMs } from '../core/clock.ts'
import type { ReceivedFile } from './stored-file.ts'

/**
 * The content of an application: a snapshot taken when the candidate applied. Later changes to the account, the ad or
 * the questionnaire do not affect it.
 */

export const fileTypes = ['resume', 'coverLetter', 'selectionCriteria'] as const
/** The types of attached files. A screen is also listed as an attachment, but has no file. */
export type FileType = (typeof fileTypes)[number]

export const questionTypes = [
  'MultipleChoiceOneAnswer',
  'MultipleChoiceManyAnswers',
  'Text',
  'True/False',
  'URLQuestion',
] as const
export type QuestionType = (typeof questionTypes)[number]

export interface Contact {
  email: string
  firstName: string
  lastName: string
  /** Empty if the candidate gave none. */
  phone: string
}

export interface PrimaryJobSeekingInfo {
  jobTitle?: string
  companyName?: string
  timeInRoleMonths?: number
  isNewToWorkForce: boolean
}

export interface ResultAnswer {
  id: string
  text: string
  selected: boolean
}

export interface ResultQuestion {
  id: string
  type: QuestionType
  text: string
  answers: ResultAnswer[]
}

/** A questionnaire as the candidate answered it, with its outcome. */
export interface QuestionnaireResult {
  id: string
  name: string
  successful: boolean
  questions: ResultQuestion[]
}

/** A file to be added to an application; its bytes are already in the blob store. */
export interface ApplicationFile extends ReceivedFile {
  type: FileType
}

export interface StoredFile extends ApplicationFile {
  /** When the downloaded content last changed: at the upload, or at a verdict. */
  changedAt: EpochMs
}

/** What a candidate submits. The service adds the ID and the date. */
export interface ApplicationDraft {
  jobSeekerId: string
  contact: Contact
  /** The job ad, if it is one stored here. */
  jobAdId?: number
  jobReference?: string
  files: ApplicationFile[]
  primaryJobSeekingInfo?: PrimaryJobSeekingInfo
  screen?: QuestionnaireResult
}
