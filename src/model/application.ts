import type { EpochMs } from '../core/clock.ts'
import type { ReceivedFile } from './stored-file.ts'

/**
 * What an application is made of. Everything here is a snapshot taken when the
 * candidate applied: later changes to the account, the ad or the questionnaire
 * never reach an application that was already made.
 */

export const fileTypes = ['resume', 'coverLetter', 'selectionCriteria'] as const
/** The attachments that are files. A screen is listed among the attachments too, but has no file. */
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
  /** Empty when the candidate gave none. */
  phone: string
}

export interface PrimaryJobSeekingInfo {
  jobTitle?: string
  companyName?: string
  timeInRoleMonths?: number
  isNewToWorkForce: boolean
}

export interface ScreenAnswer {
  id: string
  text: string
  selected: boolean
}

export interface ScreenQuestion {
  id: string
  type: QuestionType
  text: string
  answers: ScreenAnswer[]
}

/** A questionnaire as the candidate answered it, with its outcome. */
export interface ScreenResult {
  id: string
  name: string
  successful: boolean
  questions: ScreenQuestion[]
}

/** A file as it goes into an application: its bytes are already safe in the blob store. */
export interface ApplicationFile extends ReceivedFile {
  type: FileType
}

export interface StoredFile extends ApplicationFile {
  /** When its download last changed: at the upload, or at a verdict. */
  changedAt: EpochMs
}

/** What a candidate hands in. The service adds the ID and the date. */
export interface ApplicationDraft {
  jobSeekerId: string
  contact: Contact
  /** The ad it is made for, when that is one of ours. */
  jobAdId?: number
  jobReference?: string
  files: ApplicationFile[]
  primaryJobSeekingInfo?: PrimaryJobSeekingInfo
  screen?: ScreenResult
}
