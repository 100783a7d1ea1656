import { questionKinds, questionTypes } from '../model/application.ts'
import {
  isTyped,
  type Question,
  type QuestionnaireFields,
  screenAnswers,
  screenFiles,
  screenQuestions,
} from '../model/questionnaire.ts'
import { isWebAddress, urlAnswerLength } from '../model/questionnaire-answers.ts'
import { longTextLength, nameLength, referenceLength } from '../model/text-lengths.ts'
import { invalidField } from '../platform/core/fields.ts'
import { newUuid } from '../platform/core/ids.ts'
import {
  closedObject,
  Fault,
  optional,
  type Rules,
  readBy,
  readJson,
  wrongType,
} from '../platform/core/input/json-body.ts'
import { type Static, Type } from '../platform/core/input/json-schema.ts'
import { advertiserId } from './job-ad-check.ts'
import { line, readText, shownText, text } from './text-field.ts'

/** Limit: The ID of a question or an option, when the caller chooses it. */
export const questionIdLength = 50

export type QuestionnaireBody = ReturnType<typeof questionnaireBody>

/** Describes the body of a questionnaire. */
export const questionnaireBody = () =>
  closedObject(
    {
      advertiserId: advertiserId(),
      name: line(nameLength, true, 'One line.'),
      questions: Type.Array(questionBody(), { minItems: 1, maxItems: screenQuestions }),
    },
    {
      rules({ questions = [] }, refuse) {
        refuseRepeatedIds('questions', questions, refuse)
        if (questions.filter(({ kind }) => kind === 'file').length > screenFiles)
          refuse('questions', 'too-many-files', `must ask for at most ${screenFiles} files`)
      },
    },
  )

function questionBody() {
  const required = { maxLength: longTextLength, isRequired: true }
  const id = idOfAtMost(questionIdLength)
  const option = closedObject({
    id: optional(id),
    text: text(required),
    passes: optional(Type.Boolean()),
  })
  const properties = {
    id: optional(id),
    type: oneOf(questionTypes),
    kind: optional(
      oneOf(
        questionKinds,
        'Only with the type Text, which is what version 1 and programs that do not know kinds see. Any answer passes.',
      ),
    ),
    reference: optional(
      line(referenceLength, true, 'Your own name of the question. It is returned with the answers.'),
    ),
    text: text(required),
    isRequired: optional(Type.Boolean()),
    options: optional(
      Type.Array(option, {
        maxItems: screenAnswers,
        description: 'The options to choose from. `True/False` always has True and False, even if left out.',
      }),
    ),
    passingTexts: optional(
      Type.Array(shownText(required), {
        maxItems: screenAnswers,
        description:
          'For Text and URLQuestion: the answers that pass. For a URLQuestion, each is a full URL of up to 2,000 characters. Case and extra spaces are ignored.',
      }),
    ),
  }
  return closedObject(properties, {
    rules(question, refuse) {
      if (question.kind !== undefined && question.type !== undefined && question.type !== 'Text')
        refuse('kind', 'not-here', 'must be left out, unless the type is Text')
      refuseRepeatedIds('options', question.options ?? [], refuse)
      checkOptions(question, refuse)
      checkPassingTexts(question, refuse)
    },
  })
}

type SentQuestion = Static<ReturnType<typeof questionBody>>
type Refuse = Parameters<Rules<SentQuestion>>[1]

function oneOf<const Word extends string>(words: readonly Word[], description?: string) {
  const shown = Type.Enum([...words], description === undefined ? {} : { description })
  return readBy(
    shown,
    sent => words.find(known => known === sent) ?? new Fault('unknown', `must be one of ${words.join(', ')}`),
  )
}

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

/** Checks the options of each type. A question without a valid type has already been rejected. */
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

function checkPassingTexts({ type, kind, passingTexts = [] }: Partial<SentQuestion>, refuse: Refuse): void {
  if (type === undefined) return
  if (kind !== undefined) {
    if (passingTexts.length > 0) refuse('passingTexts', 'not-here', `must be left out for ${kind}`)
    return
  }
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

/** Parses a questionnaire; throws one error listing all invalid fields. */
export function readQuestionnaire(
  body: unknown,
  description: QuestionnaireBody,
): { advertiserId: number; content: QuestionnaireFields } {
  const { advertiserId, name, questions } = readJson(description, body)
  return { advertiserId, content: { name, questions: numbered(questions.map(completed)) } }
}

/**
 * Parses the replacement of a questionnaire. A part without an ID is new and gets an ID that no part has had: with IDs
 * by position, an answer to one question would be taken for another's. It is random, because a clock can repeat its
 * times.
 */
export function readReplacement(
  body: unknown,
  description: QuestionnaireBody,
  current: QuestionnaireFields,
): QuestionnaireFields {
  const { name, questions } = readJson(description, body)
  refuseWithoutIds('questions', questions, current.questions)
  const withOptions = questions.map((question, index) => {
    const known = current.questions.find(({ id }) => id === question.id)
    const former = known?.options ?? []
    const isFixed = question.type === 'True/False'
    if (!isFixed) refuseWithoutIds(`questions[${index}].options`, question.options ?? [], former)
    const whole = { ...completed(question), id: question.id ?? newUuid() }
    // No answer to a new question names an option yet, so they are numbered. A question with an ID may have existed before.
    if (question.id === undefined || (known === undefined && isFixed)) return whole
    const sent = question.options ?? []
    const options = whole.options.map((option, place) => {
      const sameText = isFixed ? former.find(({ text }) => text === option.text)?.id : undefined
      return { ...option, id: sent[place]?.id ?? sameText ?? newUuid() }
    })
    return { ...whole, options }
  })
  return { name, questions: withOptions }
}

/** Rejects a list in which no entry has an ID: it is unknown which entries replace former ones. */
function refuseWithoutIds(
  field: string,
  sent: readonly { id?: string }[],
  former: readonly { id: string }[],
): void {
  if (former.length === 0 || sent.length === 0 || sent.some(({ id }) => id !== undefined)) return
  const ids = former.map(({ id }) => JSON.stringify(id)).join(', ')
  const help = `Send the id of each entry that stays (${ids}), and an id of your own for at least one if all are new.`
  throw invalidField(field, 'ids-missing', `${field} must have IDs when you replace a screen. ${help}`)
}

/** Fills in omitted fields, except the ID. */
function completed(question: SentQuestion): Omit<Question, 'id'> & { id?: string } {
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
