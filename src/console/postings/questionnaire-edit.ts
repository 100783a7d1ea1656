import {
  type AnswerType,
  answerTypes,
  isTyped,
  screenAnswers,
  screenQuestions,
} from '../../model/questionnaire.ts'
import {
  type OptionForm,
  optionPart,
  type QuestionForm,
  type QuestionnaireForm,
  questionPart,
} from './questionnaire-form.ts'

/** Applies the buttons of the questionnaire form to its values. Nothing is saved. */
export type QuestionnaireEdit =
  | { kind: 'add'; type: AnswerType }
  | { kind: 'up' | 'down' | 'remove' | 'add-option'; question: number }
  | { kind: 'option-up' | 'option-down' | 'option-remove'; question: number; option: number }

const onQuestion = ['up', 'down', 'remove', 'add-option'] as const
const onOption = ['option-up', 'option-down', 'option-remove'] as const

/** The `value` attribute of a button. */
export function editValue(edit: QuestionnaireEdit): string {
  if (edit.kind === 'add') return `add ${edit.type}`
  return 'option' in edit ? `${edit.kind} ${edit.question} ${edit.option}` : `${edit.kind} ${edit.question}`
}

/** Undefined for a value that no button sends. */
export function readEdit(value: string): QuestionnaireEdit | undefined {
  const [word, first = '', second = '', ...more] = value.split(' ')
  const type = answerTypes.find(known => known === first)
  if (word === 'add' && type !== undefined && second === '') return { kind: 'add', type }
  const question = indexIn(first)
  if (question === undefined || more.length > 0) return undefined
  const ofQuestion = onQuestion.find(kind => kind === word)
  if (ofQuestion !== undefined && second === '') return { kind: ofQuestion, question }
  const ofOption = onOption.find(kind => kind === word)
  const option = indexIn(second)
  return ofOption === undefined || option === undefined ? undefined : { kind: ofOption, question, option }
}

function indexIn(text: string): number | undefined {
  return /^(0|[1-9][0-9]{0,2})$/.test(text) ? Number(text) : undefined
}

/** The form after the edit; unchanged if the edit has no effect, such as moving the first question up. */
export function edited(form: QuestionnaireForm, edit: QuestionnaireEdit): QuestionnaireForm {
  const { questions } = form
  if (edit.kind === 'add') {
    const isFull = questions.length >= screenQuestions
    return isFull ? form : { ...form, questions: [...questions, newQuestion(edit.type)] }
  }
  const { question: row } = edit
  if (edit.kind === 'up' || edit.kind === 'down') {
    return { ...form, questions: moved(questions, row, edit.kind === 'up' ? -1 : 1) }
  }
  if (edit.kind === 'remove') return { ...form, questions: questions.filter((_, index) => index !== row) }
  return {
    ...form,
    questions: questions.map((question, index) =>
      index === row ? { ...question, options: editedOptions(question.options, edit) } : question,
    ),
  }
}

function editedOptions(
  options: readonly OptionForm[],
  edit: Exclude<QuestionnaireEdit, { kind: 'add' }>,
): OptionForm[] {
  if (!('option' in edit)) {
    return options.length >= screenAnswers ? [...options] : [...options, emptyOption]
  }
  const { kind, option } = edit
  return kind === 'option-remove'
    ? options.filter((_, index) => index !== option)
    : moved(options, option, kind === 'option-up' ? -1 : 1)
}

function moved<Entry>(entries: readonly Entry[], from: number, by: -1 | 1): Entry[] {
  const entry = entries[from]
  const other = entries[from + by]
  if (entry === undefined || other === undefined) return [...entries]
  return entries.with(from, other).with(from + by, entry)
}

const emptyOption: OptionForm = { id: '', text: '', passes: false }

/** A new, empty question. */
export function newQuestion(type: AnswerType): QuestionForm {
  const trueAndFalse = ['True', 'False'].map(text => ({ ...emptyOption, text }))
  const options = type === 'True/False' ? trueAndFalse : [emptyOption, emptyOption]
  return {
    id: '',
    type,
    text: '',
    isRequired: false,
    reference: '',
    options: isTyped(type) ? [] : options,
    passing: '',
  }
}

/** The types a question can switch to without losing content. */
export function typesLike(type: AnswerType): AnswerType[] {
  if (type === 'True/False') return [type]
  return answerTypes.filter(other => other !== 'True/False' && isTyped(other) === isTyped(type))
}

/** Element IDs of the buttons, by action. */
export function buttonId(edit: QuestionnaireEdit): string {
  if (edit.kind === 'add') return `add-${edit.type}`
  return 'option' in edit
    ? `q-${edit.question}-o-${edit.option}-${edit.kind}`
    : `q-${edit.question}-${edit.kind}`
}

/** The element to focus after an edit: the same button if it still exists, otherwise the row it acted on. */
export function focusAfter(edit: QuestionnaireEdit, { questions }: QuestionnaireForm): string {
  const last = questions.length - 1
  if (edit.kind === 'add') return questionPart(last, 'text')
  const { question } = edit
  const lastOption = (questions[question]?.options.length ?? 0) - 1
  if (edit.kind === 'add-option') return optionPart(question, lastOption, 'text')
  if (edit.kind === 'remove') return last < 0 ? 'name' : questionPart(Math.min(question, last), 'text')
  if (!('option' in edit)) {
    const { kind } = edit
    const place = neighbour(question, kind === 'up', last)
    return place.isAtEdge ? questionPart(place.at, 'text') : buttonId({ kind, question: place.at })
  }
  const { kind, option } = edit
  if (kind === 'option-remove') {
    return lastOption < 0
      ? buttonId({ kind: 'add-option', question })
      : optionPart(question, Math.min(option, lastOption), 'text')
  }
  const place = neighbour(option, kind === 'option-up', lastOption)
  return place.isAtEdge
    ? optionPart(question, place.at, 'text')
    : buttonId({ kind, question, option: place.at })
}

function neighbour(from: number, isUp: boolean, last: number): { at: number; isAtEdge: boolean } {
  const at = isUp ? Math.max(0, from - 1) : Math.min(last, from + 1)
  return { at, isAtEdge: at === (isUp ? 0 : last) }
}
