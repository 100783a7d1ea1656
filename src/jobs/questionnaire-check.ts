import {
  closedObject,
  Fault,
  optional,
  type Rules,
  readBy,
  readJson,
  wrongType,
} from '../core/input/json-body.ts'
import { type Static, Type } from '../core/input/json-schema.ts'
import type { Limits } from '../limits.ts'
import { questionTypes } from '../model/application.ts'
import { isTyped, type QuestionnaireFields } from '../model/questionnaire.ts'
import { isWebAddress } from '../model/questionnaire-answers.ts'
import { advertiserId } from './job-ad-check.ts'
import { line, readText, shownText, text } from './text-field.ts'

export type QuestionnaireLimits = Pick<
  Limits,
  | 'nameLength'
  | 'longTextLength'
  | 'urlAnswerLength'
  | 'questionIdLength'
  | 'screenQuestions'
  | 'screenAnswers'
>
export type QuestionnaireBody = ReturnType<typeof questionnaireBody>

/** Describes the body of a questionnaire. */
export const questionnaireBody = (limits: QuestionnaireLimits) =>
  closedObject(
    {
      advertiserId: advertiserId(),
      name: line(limits.nameLength, true, 'One line.'),
      questions: Type.Array(questionBody(limits), { minItems: 1, maxItems: limits.screenQuestions }),
    },
    { rules: ({ questions = [] }, refuse) => refuseRepeatedIds('questions', questions, refuse) },
  )

function questionBody(limits: QuestionnaireLimits) {
  const required = { maxLength: limits.longTextLength, isRequired: true }
  const id = idOfAtMost(limits.questionIdLength)
  const option = closedObject({
    id: optional(id),
    text: text(required),
    passes: optional(Type.Boolean()),
  })
  const properties = {
    id: optional(id),
    type: questionType,
    text: text(required),
    isRequired: optional(Type.Boolean()),
    options: optional(
      Type.Array(option, {
        maxItems: limits.screenAnswers,
        description: 'The options to choose from. `True/False` always has True and False, even if left out.',
      }),
    ),
    passingTexts: optional(
      Type.Array(shownText(required), {
        maxItems: limits.screenAnswers,
        description:
          'For Text and URLQuestion: the answers that pass. For a URLQuestion, each is a full URL of up to 2,000 characters. Case and extra spaces are ignored.',
      }),
    ),
  }
  return closedObject(properties, {
    rules(question, refuse) {
      refuseRepeatedIds('options', question.options ?? [], refuse)
      checkOptions(question, refuse)
      checkPassingTexts(question, limits, refuse)
    },
  })
}

type SentQuestion = Static<ReturnType<typeof questionBody>>
type Refuse = Parameters<Rules<SentQuestion>>[1]

const questionType = readBy(
  Type.Enum([...questionTypes]),
  sent =>
    questionTypes.find(known => known === sent) ??
    new Fault('unknown', `must be one of ${questionTypes.join(', ')}`),
)

function idOfAtMost(maxLength: number) {
  const description = 'Visible ASCII characters. Assigned automatically if left out.'
  return readBy(Type.String({ minLength: 1, maxLength, description }), sent => {
    if (typeof sent !== 'string') return wrongType('a string')
    return /^[\x21-\x7e]+$/.test(sent) && sent.length <= maxLength
      ? sent
      : new Fault('invalid', `must be 1 to ${maxLength} visible ASCII characters without spaces`)
  })
}

function refuseRepeatedIds(list: string, entries: readonly { id?: string }[], refuse: Refuse): void {
  const taken = new Set<string>()
  entries.forEach(({ id }, index) => {
    if (id === undefined) return
    if (taken.has(id)) {
      refuse(`${list}[${index}].id`, 'repeated', 'must be unique: another entry has the same ID')
    }
    taken.add(id)
  })
}

/** The options of each type. A question without a valid type has been refused. */
function checkOptions({ type, options = [] }: Partial<SentQuestion>, refuse: Refuse): void {
  if (type === undefined) return
  if (isTyped(type)) {
    if (options.length === 0) return
    refuse('options', 'not-here', `must be left out for ${type}: use passingTexts for the answers that pass`)
  } else if (type === 'True/False') {
    if (options.length === 0 || isTrueAndFalse(options)) return
    refuse('options', 'not-true-false', 'must be exactly True and False, or left out')
  } else {
    const min = type === 'MultipleChoiceOneAnswer' ? 2 : 1
    if (options.length < min) refuse('options', 'too-few', `must contain at least ${min}`)
  }
}

function checkPassingTexts(
  { type, passingTexts = [] }: Partial<SentQuestion>,
  { urlAnswerLength, longTextLength }: QuestionnaireLimits,
  refuse: Refuse,
): void {
  if (type === undefined) return
  if (!isTyped(type)) {
    if (passingTexts.length === 0) return
    refuse('passingTexts', 'not-here', `must be left out for ${type}: mark the options that pass`)
    return
  }
  const isUrl = type === 'URLQuestion'
  const rules = { maxLength: isUrl ? urlAnswerLength : longTextLength, isRequired: true }
  passingTexts.forEach((sent, index) => {
    const field = `passingTexts[${index}]`
    const read = readText(sent, rules)
    if (read instanceof Fault) refuse(field, read.code, read.is)
    // Only web addresses are accepted as answers, so no answer could match any other text.
    else if (isUrl && !isWebAddress(read)) {
      refuse(field, 'cannot-pass', 'must be a full URL, such as https://example.com')
    }
  })
}

/** Reads a questionnaire from a JSON body; throws with every invalid field. */
export function readQuestionnaire(
  body: unknown,
  description: QuestionnaireBody,
): { advertiserId: number; content: QuestionnaireFields } {
  const { advertiserId, name, questions } = readJson(description, body)
  return { advertiserId, content: { name, questions: numbered(questions.map(completed)) } }
}

/** Fills in what was left out, but for the ID. */
function completed(question: SentQuestion) {
  const { type, isRequired = false, options = [], passingTexts = [] } = question
  const choices = type === 'True/False' && options.length === 0 ? trueAndFalse : options
  return {
    ...question,
    isRequired,
    options: numbered(choices.map(option => ({ passes: false, ...option }))),
    passingTexts: passingTexts.map(sent => sent.replaceAll(/\r\n?/g, '\n').trim()),
  }
}

/** Gives each entry without an ID the next number that the caller has not used. */
function numbered<Entry extends { id?: string }>(entries: readonly Entry[]): (Entry & { id: string })[] {
  const taken = new Set(entries.map(({ id }) => id))
  let number = 0
  const nextFree = () => {
    do number++
    while (taken.has(String(number)))
    return String(number)
  }
  return entries.map(entry => ({ ...entry, id: entry.id ?? nextFree() }))
}

const trueAndFalse: NonNullable<SentQuestion['options']> = [{ text: 'True' }, { text: 'False' }]

function isTrueAndFalse(options: readonly { text: string }[]): boolean {
  const texts = new Set(options.map(({ text }) => text))
  return options.length === 2 && texts.has('True') && texts.has('False')
}
