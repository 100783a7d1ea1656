import { type JsonFields, readJsonObject } from '../core/json-fields.ts'
import { type QuestionType, questionTypes } from '../model/application.ts'
import { isTyped, type Question, type ScreenFields, type ScreenOption } from '../model/questionnaire.ts'
import { isWebAddress } from '../model/questionnaire-answers.ts'
import { checkText, readText } from './text-field.ts'

export interface ScreenLimits {
  nameLength: number
  longTextLength: number
  urlAnswerLength: number
  questionIdLength: number
  screenQuestions: number
  screenAnswers: number
}

/** A questionnaire as a JSON body brings it; throws with every wrong field. */
export function readScreen(
  body: unknown,
  limits: ScreenLimits,
): { advertiserId: number; content: ScreenFields } {
  return readJsonObject(body, fields => ({
    advertiserId: fields.id('advertiserId'),
    content: {
      name: readText(fields, 'name', { maxLength: limits.nameLength, isRequired: true, isLine: true }),
      questions: readQuestions(fields, limits),
    },
  }))
}

function readQuestions(screen: JsonFields, limits: ScreenLimits): Question[] {
  const taken = new Set<string>()
  const questions = screen.list('questions', fields => {
    const type = readType(fields)
    return {
      id: readId(fields, taken, limits),
      // What stands for a type that was refused is never stored.
      type: type ?? 'Text',
      text: readText(fields, 'text', { maxLength: limits.longTextLength, isRequired: true }),
      isRequired: fields.isSent('isRequired') && fields.flag('isRequired'),
      options: readOptions(fields, type, limits),
      passingTexts: readPassingTexts(fields, type, limits),
    }
  })
  refuseCount(screen, 'questions', questions.length, 1, limits.screenQuestions)
  return numbered(questions, taken)
}

function readType(question: JsonFields): QuestionType | undefined {
  const sent = question.optionalText('type')
  const type = questionTypes.find(known => known === sent)
  if (type === undefined) question.refuse('type', 'unknown', `must be one of ${questionTypes.join(', ')}`)
  return type
}

function readOptions(
  question: JsonFields,
  type: QuestionType | undefined,
  limits: ScreenLimits,
): ScreenOption[] {
  const taken = new Set<string>()
  const sent = question.list('options', fields => ({
    id: readId(fields, taken, limits),
    text: readText(fields, 'text', { maxLength: limits.longTextLength, isRequired: true }),
    passes: fields.isSent('passes') && fields.flag('passes'),
  }))
  if (type === undefined) return []
  if (isTyped(type)) {
    if (sent.length > 0) {
      question.refuse('options', 'not-here', `must be left out: passingTexts names what passes for ${type}`)
    }
    return []
  }
  const isTrueFalse = type === 'True/False'
  const options = isTrueFalse && sent.length === 0 ? trueAndFalse : sent
  if (isTrueFalse && !isTrueAndFalse(options)) {
    question.refuse('options', 'not-true-false', 'must be exactly True and False, or be left out')
  } else {
    const least = type === 'MultipleChoiceOneAnswer' ? 2 : 1
    refuseCount(question, 'options', options.length, least, limits.screenAnswers)
  }
  return numbered(options, taken)
}

function readPassingTexts(
  question: JsonFields,
  type: QuestionType | undefined,
  limits: ScreenLimits,
): string[] {
  const texts = question.texts('passingTexts')
  if (type === undefined) return []
  if (!isTyped(type)) {
    if (texts.length > 0) {
      question.refuse('passingTexts', 'not-here', `must be left out: the options of ${type} say what passes`)
    }
    return []
  }
  refuseCount(question, 'passingTexts', texts.length, 0, limits.screenAnswers)
  const isUrl = type === 'URLQuestion'
  const rules = { maxLength: isUrl ? limits.urlAnswerLength : limits.longTextLength, isRequired: true }
  return texts.map((sent, index) => {
    const field = `passingTexts[${index}]`
    const text = checkText(question, field, sent, rules)
    // No other answer is taken, so nobody could pass with it.
    if (isUrl && text !== '' && text.length <= rules.maxLength && !isWebAddress(text)) {
      question.refuse(
        field,
        'cannot-pass',
        'must be the whole address of a page, such as https://example.com',
      )
    }
    return text
  })
}

/** Empty when the caller leaves it to us. */
function readId(fields: JsonFields, taken: Set<string>, { questionIdLength }: ScreenLimits): string {
  const id = fields.optionalText('id')
  if (id === undefined) return ''
  if (!/^[\x21-\x7e]+$/.test(id) || id.length > questionIdLength) {
    fields.refuse('id', 'invalid', `must be 1 to ${questionIdLength} visible ASCII characters without blanks`)
  } else if (taken.has(id)) {
    fields.refuse('id', 'repeated', 'is taken: another one has it')
  }
  taken.add(id)
  return id
}

/** Whoever has no ID gets the next number that nobody has chosen. */
function numbered<Entry extends { id: string }>(
  entries: readonly Entry[],
  taken: ReadonlySet<string>,
): Entry[] {
  let number = 0
  const nextFree = () => {
    do number++
    while (taken.has(String(number)))
    return String(number)
  }
  return entries.map(entry => (entry.id === '' ? { ...entry, id: nextFree() } : entry))
}

function refuseCount(fields: JsonFields, key: string, count: number, least: number, most: number): void {
  if (count < least) fields.refuse(key, 'too-few', `must hold at least ${least}`)
  if (count > most) fields.refuse(key, 'too-many', `may hold ${most} at most; there are ${count}`)
}

const trueAndFalse: readonly ScreenOption[] = ['True', 'False'].map(text => ({ id: '', text, passes: false }))

function isTrueAndFalse(options: readonly ScreenOption[]): boolean {
  const texts = new Set(options.map(({ text }) => text))
  return options.length === 2 && texts.has('True') && texts.has('False')
}
