import { shownKey } from '../platform/core/input/json-body.ts'
import type { FieldError } from '../platform/core/problems.ts'
import { textFault } from '../platform/core/text.ts'
import {
  type Answers,
  chosenIds,
  isAnswerDay,
  isTyped,
  numberIn,
  type Question,
  type Questionnaire,
  statementRead,
  writtenText,
} from './questionnaire.ts'
import { longAnswerLength, longTextLength } from './text-lengths.ts'

/** Limit: The longest URL that every browser accepts. */
export const urlAnswerLength = 2_000

type Fault = Omit<FieldError, 'field'>

/** Returns every error in the answers, in the order of the questions. */
export function checkAnswers(
  questionnaire: Questionnaire,
  answers: Answers,
  fieldOf: (questionId: string) => string,
): FieldError[] {
  const known = new Set(questionnaire.questions.map(({ id }) => id))
  const unknown = [...answers.keys()].filter(id => !known.has(id))
  return [
    ...questionnaire.questions.flatMap(question => {
      const fault = faultOf(question, answers)
      return fault === undefined ? [] : [{ field: fieldOf(question.id), ...fault }]
    }),
    ...unknown.map(id => ({
      field: fieldOf(shownKey(id)),
      code: 'unknown-question',
      message: 'The questionnaire has no such question.',
    })),
  ]
}

function faultOf(question: Question, answers: Answers): Fault | undefined {
  const given = answers.get(question.id)
  if (given !== undefined && (typeof given === 'string') !== isTyped(question.type)) {
    const wanted = isTyped(question.type) ? 'a string' : 'a list of the chosen options'
    return { code: 'wrong-type', message: `The answer must be ${wanted}.` }
  }
  return isTyped(question.type)
    ? typedFault(question, writtenText(question, answers))
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

/** Maximum length of an answer that is not chosen from options. */
export function maxAnswerLength({ type, kind }: Pick<Question, 'type' | 'kind'>): number {
  if (kind === 'longText') return longAnswerLength
  return type === 'URLQuestion' ? urlAnswerLength : longTextLength
}

function typedFault(question: Question, text: string): Fault | undefined {
  const { type, kind, isRequired } = question
  // The answer is a file, which arrives after the answers.
  if (kind === 'file')
    return text === '' ? undefined : { code: 'not-a-text', message: 'Send a file, not a text.' }
  if (text === '') {
    if (!isRequired) return undefined
    return kind === 'statement'
      ? { code: 'required', message: 'Confirm that you have read this.' }
      : { code: 'required', message: 'Answer this question.' }
  }
  const maxLength = maxAnswerLength(question)
  const fault = textFault(text, { maxLength })
  if (fault === 'too-long') {
    return { code: fault, message: `Use ${maxLength} characters or fewer; you have ${text.length}.` }
  }
  if (fault !== undefined) {
    const message = 'This contains a character that cannot be saved. Type it in instead of pasting it.'
    return { code: fault, message }
  }
  if (type === 'URLQuestion' && !isWebAddress(text))
    return { code: 'invalid-url', message: 'Enter the full link, starting with https:// or http://.' }
  if (kind === 'number' && numberIn(text) === undefined)
    return {
      code: 'not-a-number',
      message: 'Enter a number such as 48000 or 7.5, without separators between thousands.',
    }
  if (kind === 'date' && !isAnswerDay(text))
    return { code: 'not-a-date', message: 'Enter a date in the form 2027-11-14: year, month, day.' }
  if (kind === 'statement' && text !== statementRead)
    return { code: 'not-read', message: `The answer must be ${statementRead}, or be left out.` }
  return undefined
}

/** Stricter than the URL parser, which repairs its input: the text itself must be a web address. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^/?#\s][^\s]*$/i.test(text) && URL.canParse(text)
}
