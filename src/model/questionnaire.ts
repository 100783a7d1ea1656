import { isVisible } from '../core/text.ts'
import type { QuestionType } from './application.ts'

/** A questionnaire as an advertiser writes it: which answers there are, and which of them pass. */

export interface ScreenOption {
  id: string
  text: string
  passes: boolean
}

export interface Question {
  id: string
  type: QuestionType
  text: string
  isRequired: boolean
  /** What there is to choose from; empty where the answer is typed. */
  options: ScreenOption[]
  /** What passes where the answer is typed; empty when anything does. */
  passingTexts: string[]
}

/** What an advertiser says about a questionnaire. */
export interface ScreenFields {
  name: string
  questions: Question[]
}

export interface Screen extends ScreenFields {
  id: number
}

/** By question id: chosen option ids, or the text that was entered. */
export type Answers = ReadonlyMap<string, readonly string[] | string>

export function isTyped(type: QuestionType): boolean {
  return type === 'Text' || type === 'URLQuestion'
}

/** The options that were chosen, each once; none where something else was sent. */
export function chosenIds(question: Question, answers: Answers): Set<string> {
  const given = answers.get(question.id)
  return new Set(typeof given === 'object' ? given : [])
}

/** Blanks around an answer are no part of it, and what nobody can see is no answer. */
export function enteredText(question: Question, answers: Answers): string {
  const given = answers.get(question.id)
  return typeof given === 'string' && isVisible(given) ? given.trim() : ''
}
