import type { ReceivedFile } from '../platform/blobs/stored-file.ts'
import type { EpochMs } from '../platform/core/clock.ts'

/**
 * The content of an application: a snapshot taken when the candidate applied. Later changes to the account, the ad or
 * the questionnaire do not affect it.
 */

export const fileTypes = ['resume', 'coverLetter', 'selectionCriteria'] as const
/** The types of attached files. A screen is also listed as an attachment, but has no file. */
export type FileType = (typeof fileTypes)[number]

/** The file for the question at this position of the questionnaire, counted from 1. Version 1 lists no such file. */
export type AnswerFileType = `answer-${number}`
/** Every type of file of an application. */
export type AnyFileType = FileType | AnswerFileType

export const isDocument = (type: AnyFileType): type is FileType => fileTypes.some(each => each === type)
export const answerFileType = (index: number): AnswerFileType => `answer-${index + 1}`
export const questionNumberOf = (type: AnswerFileType): number => Number(type.slice('answer-'.length))

/** Undefined if the text names no file type. */
export function readFileType(text: string): AnyFileType | undefined {
  const isAnswer = /^answer-[1-9]\d{0,2}$/.test(text)
  return isAnswer ? (text as AnswerFileType) : fileTypes.find(each => each === text)
}

/** The documents in their order, then the answers in the order of their questions. */
export function inFileOrder<File extends { type: AnyFileType }>(files: readonly File[]): File[] {
  const placeOf = ({ type }: File) =>
    isDocument(type) ? fileTypes.indexOf(type) : fileTypes.length + questionNumberOf(type)
  return files.toSorted((a, b) => placeOf(a) - placeOf(b))
}

export const questionTypes = [
  'MultipleChoiceOneAnswer',
  'MultipleChoiceManyAnswers',
  'Text',
  'True/False',
  'URLQuestion',
] as const
export type QuestionType = (typeof questionTypes)[number]

/** Kinds that version 1 cannot name: on its wire, each is a `Text` with a fixed rendering of the answer. */
export const questionKinds = ['number', 'date', 'longText', 'file', 'statement'] as const
export type QuestionKind = (typeof questionKinds)[number]

export interface Contact {
  email: string
  firstName: string
  lastName: string
  /** Empty if the candidate did not enter one. */
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
  /** Set only if the type is `Text`. */
  kind?: QuestionKind
  /** The company's own reference, such as a field of its software. */
  reference?: string
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
  type: AnyFileType
}

export interface StoredFile extends ApplicationFile {
  /** When the downloaded content last changed: at the upload or at a verdict. */
  changedAt: EpochMs
}

/** The content that a candidate submits. The service adds the ID and the date. */
export interface ApplicationDraft {
  jobSeekerId: string
  contact: Contact
  /** The job ad, if it is stored here. */
  jobAdId?: number
  jobReference?: string
  files: ApplicationFile[]
  primaryJobSeekingInfo?: PrimaryJobSeekingInfo
  screen?: QuestionnaireResult
}
