import { type JsonFields, readJsonObject } from '../core/input/json-fields.ts'
import { type QuestionType, questionTypes } from '../model/application.ts'
import {
  isTyped,
  type Question,
  type QuestionnaireFields,
  type QuestionOption,
} from '../model/questionnaire.ts'
import { isWebAddress } from '../model/questionnaire-answers.ts'
import { checkText, lineBreakOrTab, readText } from './text-field.ts'

export interface QuestionnaireLimits {
  nameLength: number
  longTextLength: number
  urlAnswerLength: number
  questionIdLength: number
  screenQuestions: number
  screenAnswers: number
}

/** Reads a questionnaire from a JSON body; throws with every invalid field. */
export function readQuestionnaire(
  body: unknown,
  limits: QuestionnaireLimits,
): { advertiserId: number; content: QuestionnaireFields } {
  return readJsonObject(body, fields => ({
    advertiserId: fields.id('advertiserId'),
    content: {
      name: readText(fields, 'name', {
        maxLength: limits.nameLength,
        isRequired: true,
        notOnOneLine: lineBreakOrTab,
      }),
      questions: readQuestions(fields, limits),
    },
  }))
}

function readQuestions(questionnaire: JsonFields, limits: QuestionnaireLimits): Question[] {
  const taken = new Set<string>()
  const questions = questionnaire.list('questions', fields => {
    const type = readType(fields)
    return {
      id: readId(fields, taken, limits),
      // A placeholder for an invalid type; never stored, because the error is already recorded.
      type: type ?? 'Text',
      text: readText(fields, 'text', { maxLength: limits.longTextLength, isRequired: true }),
      isRequired: fields.isSent('isRequired') && fields.flag('isRequired'),
      options: readOptions(fields, type, limits),
      passingTexts: readPassingTexts(fields, type, limits),
    }
  })
  refuseCount(questionnaire, 'questions', questions.length, 1, limits.screenQuestions)
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
  limits: QuestionnaireLimits,
): QuestionOption[] {
  const taken = new Set<string>()
  const sent = question.list('options', fields => ({
    id: readId(fields, taken, limits),
    text: readText(fields, 'text', { maxLength: limits.longTextLength, isRequired: true }),
    passes: fields.isSent('passes') && fields.flag('passes'),
  }))
  if (type === undefined) return []
  if (isTyped(type)) {
    if (sent.length > 0) {
      question.refuse(
        'options',
        'not-here',
        `must be left out for ${type}: use passingTexts for the answers that pass`,
      )
    }
    return []
  }
  const isTrueFalse = type === 'True/False'
  const options = isTrueFalse && sent.length === 0 ? trueAndFalse : sent
  if (isTrueFalse && !isTrueAndFalse(options)) {
    question.refuse('options', 'not-true-false', 'must be exactly True and False, or left out')
  } else {
    const min = type === 'MultipleChoiceOneAnswer' ? 2 : 1
    refuseCount(question, 'options', options.length, min, limits.screenAnswers)
  }
  return numbered(options, taken)
}

function readPassingTexts(
  question: JsonFields,
  type: QuestionType | undefined,
  limits: QuestionnaireLimits,
): string[] {
  const texts = question.texts('passingTexts')
  if (type === undefined) return []
  if (!isTyped(type)) {
    if (texts.length > 0) {
      question.refuse('passingTexts', 'not-here', `must be left out for ${type}: mark the options that pass`)
    }
    return []
  }
  refuseCount(question, 'passingTexts', texts.length, 0, limits.screenAnswers)
  const isUrl = type === 'URLQuestion'
  const rules = { maxLength: isUrl ? limits.urlAnswerLength : limits.longTextLength, isRequired: true }
  return texts.map((sent, index) => {
    const field = `passingTexts[${index}]`
    const text = checkText(question, field, sent, rules)
    // Only web addresses are accepted as answers, so no answer could match any other text.
    if (isUrl && text !== '' && text.length <= rules.maxLength && !isWebAddress(text)) {
      question.refuse(field, 'cannot-pass', 'must be a full URL, such as https://example.com')
    }
    return text
  })
}

/** Returns '' if the caller sent no ID. */
function readId(fields: JsonFields, taken: Set<string>, { questionIdLength }: QuestionnaireLimits): string {
  const id = fields.optionalText('id')
  if (id === undefined) return ''
  if (!/^[\x21-\x7e]+$/.test(id) || id.length > questionIdLength) {
    fields.refuse('id', 'invalid', `must be 1 to ${questionIdLength} visible ASCII characters without spaces`)
  } else if (taken.has(id)) {
    fields.refuse('id', 'repeated', 'must be unique: another entry has the same ID')
  }
  taken.add(id)
  return id
}

/** Gives each entry without an ID the next number that the caller has not used. */
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

function refuseCount(fields: JsonFields, key: string, count: number, min: number, max: number): void {
  if (count < min) fields.refuse(key, 'too-few', `must contain at least ${min}`)
  if (count > max) fields.refuse(key, 'too-many', `must contain ${max} or fewer; there are ${count}`)
}

const trueAndFalse: readonly QuestionOption[] = ['True', 'False'].map(text => ({
  id: '',
  text,
  passes: false,
}))

function isTrueAndFalse(options: readonly QuestionOption[]): boolean {
  const texts = new Set(options.map(({ text }) => text))
  return options.length === 2 && texts.has('True') && texts.has('False')
}
