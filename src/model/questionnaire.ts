import { numberText } from '../platform/core/locale.ts'
import { isVisible } from '../platform/core/text.ts'
import { type QuestionKind, type QuestionType, questionKinds, questionTypes } from './application.ts'
import { isCalendarDay } from './job-ad.ts'

/** Limit: Questions in one questionnaire. */
export const screenQuestions = 200
/** Limit: Questions in one questionnaire that ask for a file: each file may have 10 MB, and waits for the scanner. */
export const screenFiles = 10
/** Limit: Answer options of one question. */
export const screenAnswers = 200

/** A questionnaire as an advertiser writes it, with the options and which of them pass. */

export interface QuestionOption {
  id: string
  text: string
  passes: boolean
}

/** The form of an answer: the question's kind, or else its type in version 1. */
export type AnswerType = QuestionType | QuestionKind
export const answerTypes: readonly AnswerType[] = [...questionTypes, ...questionKinds]

export interface Question {
  id: string
  type: QuestionType
  /** Set only if the type is `Text`. Any answer to a question with a kind passes. */
  kind?: QuestionKind
  text: string
  isRequired: boolean
  /** The company's own reference, returned with the answers. */
  reference?: string
  /** The options to choose from; empty if the answer is typed. */
  options: QuestionOption[]
  /** Typed answers that pass; empty if all do. */
  passingTexts: string[]
}

/** The content of a questionnaire. */
export interface QuestionnaireFields {
  name: string
  questions: Question[]
}

export interface Questionnaire extends QuestionnaireFields {
  id: number
}

/** Maps question IDs to the IDs of the chosen options or the typed text. */
export type Answers = ReadonlyMap<string, readonly string[] | string>

export const answerTypeOf = ({ type, kind }: Pick<Question, 'type' | 'kind'>): AnswerType => kind ?? type

export const kindOf = (type: AnswerType): QuestionKind | undefined =>
  questionKinds.find(kind => kind === type)

/** Whether a question has no options, and so one answer. */
export function isTyped(type: AnswerType): boolean {
  return type === 'Text' || type === 'URLQuestion' || kindOf(type) !== undefined
}

/** The kind that corresponds to each question type of version 1. */
export const kindsOfTypes = {
  MultipleChoiceOneAnswer: 'oneOption',
  MultipleChoiceManyAnswers: 'severalOptions',
  Text: 'text',
  'True/False': 'yesNo',
  URLQuestion: 'url',
} as const satisfies Record<QuestionType, string>

/** Named as in the API. */
export const answerKinds = [...Object.values(kindsOfTypes), ...questionKinds]

/** The answer to a statement, by which the candidate confirms reading it. */
export const statementRead = 'Read'

/** The chosen options without duplicates; empty if anything else was sent. */
export function chosenIds(question: Question, answers: Answers): Set<string> {
  const given = answers.get(question.id)
  return new Set(typeof given === 'object' ? given : [])
}

/** The typed answer as it was entered, trimmed; '' if it contains nothing visible. */
export function writtenText(question: Question, answers: Answers): string {
  const given = answers.get(question.id)
  return typeof given === 'string' && isVisible(given) ? given.trim() : ''
}

/** The typed answer in its stored form: a number is normalised. */
export function enteredText(question: Question, answers: Answers): string {
  const text = writtenText(question, answers)
  return question.kind === 'number' ? (numberIn(text) ?? text) : text
}

/**
 * Reads a number as people write it, with a point or a comma, and returns it with a point. Three digits after it are
 * rejected: 50.000 is fifty thousand in half of the world. So are more digits than a JSON number can keep.
 */
export function numberIn(text: string): string | undefined {
  const written = text.replaceAll(/\s/g, '')
  if (!/^[-+]?\d{1,12}([.,]\d{1,6})?$/.test(written) || /[1-9]\d*[.,]\d{3}$/.test(written)) return undefined
  if (written.replaceAll(/\D/g, '').length > 15) return undefined
  return String(Number(written.replace(',', '.')) + 0)
}

/** Whether a number has the form returned by `numberIn`. */
export const isStoredNumber = (text: string): boolean =>
  /^-?\d{1,12}(\.\d{1,6})?$/.test(text) && String(Number(text)) === text && text !== '-0'

/** Whether the text is a date that an answer may give. */
export const isAnswerDay = (text: string): boolean => isCalendarDay(text) && text >= '1900-01-01'

/** The answer's value by kind; null if there is none. A string except for two kinds. */
export function typedValue(kind: QuestionKind | undefined, text: string): string | number | boolean | null {
  if (kind === 'statement') return text === statementRead
  if (text === '') return null
  return kind === 'number' ? Number(text) : text
}

/**
 * The text of an answer for people. On the wire, `True/False` answers are True and False, which read oddly, and a
 * number has a point.
 */
export function answerInWords(type: AnswerType, text: string): string {
  if (type === 'number' && isStoredNumber(text)) return numberText(Number(text), 6)
  if (type !== 'True/False') return text
  return text === 'True' ? 'Yes' : text === 'False' ? 'No' : text
}
