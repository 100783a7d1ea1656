import {
  type AnswerType,
  answerTypeOf,
  answerTypes,
  isTyped,
  kindOf,
  type Question,
  type QuestionnaireFields,
} from '../../model/questionnaire.ts'

/** Submitted form fields in order; clients may send any field names. */
export interface SentPairs {
  pairs(): Iterable<readonly [string, string]>
}

/** A questionnaire as entered in its form, not yet validated. */
export interface QuestionnaireForm {
  name: string
  questions: QuestionForm[]
}

/** A question whose ID and option IDs are empty until saved. */
export interface QuestionForm extends Omit<Question, 'passingTexts' | 'type' | 'kind' | 'reference'> {
  type: AnswerType
  /** Empty for none. */
  reference: string
  /** One per line. */
  passing: string
}

export type OptionForm = Question['options'][number]

type QuestionPart = 'id' | 'type' | 'text' | 'required' | 'reference' | 'passing'
type OptionPart = 'id' | 'text' | 'passes'

export const questionPart = (question: number, part: QuestionPart) => `q-${question}-${part}`
export const optionPart = (question: number, option: number, part: OptionPart) =>
  `q-${question}-o-${option}-${part}`

/** Three digits: allows more rows than the limit, yet few enough to show the form again. */
const number = '(0|[1-9][0-9]{0,2})'
const ofQuestion = new RegExp(`^q-${number}-`)
const ofOption = new RegExp(`^q-${number}-o-${number}-`)

export function readQuestionnaireForm(sent: SentPairs): QuestionnaireForm {
  const fields = new Map<string, string>()
  const rows = new Map<number, Set<number>>()
  for (const [name, value] of sent.pairs()) {
    if (!fields.has(name)) fields.set(name, value.replaceAll(/\r\n?/g, '\n'))
    const question = ofQuestion.exec(name)?.[1]
    if (question === undefined) continue
    const options = rows.get(Number(question)) ?? new Set()
    rows.set(Number(question), options)
    const option = ofOption.exec(name)?.[2]
    if (option !== undefined) options.add(Number(option))
  }
  const text = (name: string) => fields.get(name) ?? ''
  const isTicked = (name: string) => fields.has(name)
  return {
    name: text('name'),
    questions: inOrder(rows.keys()).map(row => {
      const sentType = text(questionPart(row, 'type'))
      return {
        id: text(questionPart(row, 'id')),
        // The form offers no other types.
        type: answerTypes.find(type => type === sentType) ?? 'Text',
        text: text(questionPart(row, 'text')),
        isRequired: isTicked(questionPart(row, 'required')),
        reference: text(questionPart(row, 'reference')),
        options: inOrder(rows.get(row) ?? []).map(option => ({
          id: text(optionPart(row, option, 'id')),
          text: text(optionPart(row, option, 'text')),
          passes: isTicked(optionPart(row, option, 'passes')),
        })),
        passing: text(questionPart(row, 'passing')),
      }
    }),
  }
}

function inOrder(numbers: Iterable<number>): number[] {
  return [...numbers].toSorted((a, b) => a - b)
}

/** The form of a stored questionnaire. */
export function formOfQuestionnaire({ name, questions }: QuestionnaireFields): QuestionnaireForm {
  return { name, questions: questions.map(formOfQuestion) }
}

function formOfQuestion(question: Question): QuestionForm {
  return {
    id: question.id,
    type: answerTypeOf(question),
    text: question.text,
    isRequired: question.isRequired,
    reference: question.reference ?? '',
    options: question.options.map(({ id, text, passes }) => ({ id, text, passes })),
    // Comparison treats a line break as a space, so a multi-line text fits on one line.
    passing: question.passingTexts.map(text => text.replaceAll('\n', ' ')).join('\n'),
  }
}

/**
 * Gives new parts of a stored questionnaire IDs that were never used. The next free numbers could be those of removed
 * questions and options, and a job board that has not noticed the change would answer those.
 */
export function withNewIds({ name, questions }: QuestionnaireForm, newId: () => string): QuestionnaireForm {
  const idOf = ({ id }: { id: string }) => (id === '' ? newId() : id)
  return {
    name,
    questions: questions.map(question => ({
      ...question,
      id: idOf(question),
      options: question.options.map(option => ({ ...option, id: idOf(option) })),
    })),
  }
}

/** The form as an API request body, so that the API's rules validate it. */
export function bodyOfQuestionnaire({ name, questions }: QuestionnaireForm, advertiserId: number): object {
  const idOf = (id: string) => (id === '' ? {} : { id })
  return {
    advertiserId,
    name,
    questions: questions.map(({ id, type, text, isRequired, reference, options, passing }) => ({
      ...idOf(id),
      ...(kindOf(type) === undefined ? { type } : { type: 'Text', kind: type }),
      text,
      isRequired,
      ...(reference.trim() === '' ? {} : { reference }),
      ...(isTyped(type)
        ? { passingTexts: kindOf(type) === undefined ? linesOf(passing) : [] }
        : {
            options: options.map(option => ({
              ...idOf(option.id),
              text: option.text,
              passes: option.passes,
            })),
          }),
    })),
  }
}

/** Drops options that were never filled in. Saved options must be removed explicitly. */
export function withoutEmptyOptions({ name, questions }: QuestionnaireForm): QuestionnaireForm {
  const isEmpty = ({ id, text, passes }: OptionForm) => id === '' && text.trim() === '' && !passes
  return {
    name,
    questions: questions.map(question => ({
      ...question,
      options: question.options.filter(option => !isEmpty(option)),
    })),
  }
}

/** Pads the options of a choice question to at least two rows. */
export function withRoom({ name, questions }: QuestionnaireForm): QuestionnaireForm {
  const emptyOption: OptionForm = { id: '', text: '', passes: false }
  return {
    name,
    questions: questions.map(question => {
      const { type, options } = question
      const missing = isTyped(type) ? 0 : Math.max(0, 2 - options.length)
      return { ...question, options: [...options, ...Array.from({ length: missing }, () => emptyOption)] }
    }),
  }
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
}

/** The form field for a path such as `questions[1].options[0].text`. */
export function fieldForPath(path: string): string {
  const [, question, rest = ''] = /^questions\[(\d+)\](?:\.(.*))?$/.exec(path) ?? []
  if (question === undefined) return path === 'questions' ? 'add' : path
  const row = Number(question)
  const [, option, part] = /^options\[(\d+)\]\.(\w+)$/.exec(rest) ?? []
  if (option !== undefined) {
    return optionPart(row, Number(option), part === 'passes' ? 'passes' : 'text')
  }
  if (rest.startsWith('passingTexts')) return questionPart(row, 'passing')
  if (rest === 'reference') return questionPart(row, 'reference')
  return rest === 'options' ? `q-${row}-add-option` : questionPart(row, 'text')
}
