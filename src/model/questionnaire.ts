import { isVisible } from '../core/text.ts'
import type { QuestionType } from './application.ts'

/** A questionnaire as an advertiser writes it: which answers there are, and which of them pass. */

export interface QuestionOption {
  id: string
  text: string
  passes: boolean
}

export interface Question {
  id: string
  type: QuestionType
  text: string
  isRequired: boolean
  /** The options to choose from; empty if the answer is typed. */
  options: QuestionOption[]
  /** Typed answers that pass; empty if any answer does. */
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

/** By question ID: the IDs of the chosen options, or the typed text. */
export type Answers = ReadonlyMap<string, readonly string[] | string>

export function isTyped(type: QuestionType): boolean {
  return type === 'Text' || type === 'URLQuestion'
}

/** The chosen options without duplicates; empty if anything else was sent. */
export function chosenIds(question: Question, answers: Answers): Set<string> {
  const given = answers.get(question.id)
  return new Set(typeof given === 'object' ? given : [])
}

/** The typed answer, trimmed; '' if it contains nothing visible. */
export function enteredText(question: Question, answers: Answers): string {
  const given = answers.get(question.id)
  return typeof given === 'string' && isVisible(given) ? given.trim() : ''
}

/** The text of an answer for people. The answers of `True/False` are True and False on the wire, which read oddly. */
export function answerInWords(type: QuestionType, text: string): string {
  if (type !== 'True/False') return text
  return text === 'True' ? 'Yes' : text === 'False' ? 'No' : text
}
