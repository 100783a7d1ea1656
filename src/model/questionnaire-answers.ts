import { shownKey } from '../core/input/json-body.ts'
import type { FieldError } from '../core/problems.ts'
import { textFault } from '../core/text.ts'
import type { Limits } from '../limits.ts'
import {
  type Answers,
  chosenIds,
  enteredText,
  isTyped,
  type Question,
  type Questionnaire,
} from './questionnaire.ts'

export type AnswerLimits = Pick<Limits, 'longTextLength' | 'urlAnswerLength'>

type Fault = Omit<FieldError, 'field'>

/** Returns every error in the answers, in the order of the questions. */
export function checkAnswers(
  questionnaire: Questionnaire,
  answers: Answers,
  limits: AnswerLimits,
  fieldOf: (questionId: string) => string,
): FieldError[] {
  const known = new Set(questionnaire.questions.map(({ id }) => id))
  const unknown = [...answers.keys()].filter(id => !known.has(id))
  return [
    ...questionnaire.questions.flatMap(question => {
      const fault = faultOf(question, answers, limits)
      return fault === undefined ? [] : [{ field: fieldOf(question.id), ...fault }]
    }),
    ...unknown.map(id => ({
      field: fieldOf(shownKey(id)),
      code: 'unknown-question',
      message: 'The questionnaire has no such question.',
    })),
  ]
}

function faultOf(question: Question, answers: Answers, limits: AnswerLimits): Fault | undefined {
  const given = answers.get(question.id)
  if (given !== undefined && (typeof given === 'string') !== isTyped(question.type)) {
    const wanted = isTyped(question.type) ? 'a string' : 'a list of the chosen options'
    return { code: 'wrong-type', message: `The answer must be ${wanted}.` }
  }
  return isTyped(question.type)
    ? typedFault(question, enteredText(question, answers), limits)
    : choiceFault(question, chosenIds(question, answers))
}

function choiceFault(
  { type, options, isRequired }: Question,
  chosen: ReadonlySet<string>,
): Fault | undefined {
  const known = new Set(options.map(({ id }) => id))
  if ([...chosen].some(id => !known.has(id))) {
    return { code: 'unknown-option', message: 'Choose one of the answers listed.' }
  }
  if (type !== 'MultipleChoiceManyAnswers' && chosen.size > 1) {
    return { code: 'several', message: 'Choose only one answer.' }
  }
  return isRequired && chosen.size === 0 ? { code: 'required', message: 'Choose an answer.' } : undefined
}

function typedFault({ type, isRequired }: Question, text: string, limits: AnswerLimits): Fault | undefined {
  if (text === '') return isRequired ? { code: 'required', message: 'Answer this question.' } : undefined
  const maxLength = type === 'URLQuestion' ? limits.urlAnswerLength : limits.longTextLength
  const fault = textFault(text, { maxLength })
  if (fault === 'too-long') {
    return { code: fault, message: `Use ${maxLength} characters or fewer; you have ${text.length}.` }
  }
  if (fault !== undefined) {
    const message = 'This contains a character that cannot be saved. Type it in instead of pasting it.'
    return { code: fault, message }
  }
  return type === 'URLQuestion' && !isWebAddress(text)
    ? {
        code: 'invalid-url',
        message: 'Enter the full link, starting with https:// or http://.',
      }
    : undefined
}

/** Stricter than the URL parser, which repairs its input: the text itself must be a web address. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^/?#\s][^\s]*$/i.test(text) && URL.canParse(text)
}
