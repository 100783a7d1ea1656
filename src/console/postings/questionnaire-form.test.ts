import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc, { type Arbitrary } from 'fast-check'
import { acceptedLine, acceptedText } from '../../../test/harness/arbitraries.ts'
import { formBody } from '../../../test/harness/html-form.ts'
import { questionnaireBody, readQuestionnaire } from '../../jobs/questionnaire-check.ts'
import {
  type AnswerType,
  answerTypes,
  isTyped,
  kindOf,
  type QuestionnaireFields,
  screenAnswers,
  screenQuestions,
} from '../../model/questionnaire.ts'
import { longTextLength, nameLength, referenceLength } from '../../model/text-lengths.ts'
import { Problem } from '../../platform/core/problems.ts'
import { FormFields } from '../../platform/http/requests/form.ts'
import { questionnaireFieldsMarkup } from './builder-markup.ts'
import {
  edited,
  editValue,
  focusAfter,
  newQuestion,
  type QuestionnaireEdit,
  readEdit,
  typesLike,
} from './questionnaire-edit.ts'
import {
  bodyOfQuestionnaire,
  fieldForPath,
  formOfQuestionnaire,
  optionPart,
  type QuestionForm,
  type QuestionnaireForm,
  questionPart,
  readQuestionnaireForm,
  withoutEmptyOptions,
  withRoom,
} from './questionnaire-form.ts'

const description = questionnaireBody()

/** The form as name and value pairs, as a browser submits it. */
function pairsOf({ name, questions }: QuestionnaireForm): [string, string][] {
  const given = (field: string, value: string): [string, string][] => (value === '' ? [] : [[field, value]])
  const ticked = (field: string, isSet: boolean): [string, string][] => (isSet ? [[field, 'yes']] : [])
  return [
    ['name', name],
    ...questions.flatMap((question, row): [string, string][] => [
      ...given(questionPart(row, 'id'), question.id),
      [questionPart(row, 'type'), question.type],
      [questionPart(row, 'text'), question.text],
      ...ticked(questionPart(row, 'required'), question.isRequired),
      ...given(questionPart(row, 'reference'), question.reference),
      ...given(questionPart(row, 'passing'), question.passing),
      ...question.options.flatMap((option, index): [string, string][] => [
        ...given(optionPart(row, index, 'id'), option.id),
        [optionPart(row, index, 'text'), option.text],
        ...ticked(optionPart(row, index, 'passes'), option.passes),
      ]),
    ]),
  ]
}

/** The form submitted by a browser and read back. */
const sent = (form: QuestionnaireForm) => readQuestionnaireForm(new FormFields(formBody(pairsOf(form))))

const text = acceptedText(longTextLength, true)
const line = acceptedText(nameLength, true).map(value => value.replaceAll(/[\n\t\r]/g, ' '))

const question = fc
  .record({
    type: fc.constantFrom(...answerTypes),
    reference: fc.option(
      acceptedLine(referenceLength, true).map(value => value.replaceAll(/\s/g, ' ')),
      { nil: undefined },
    ),
    text,
    isRequired: fc.boolean(),
    options: fc.array(fc.record({ text, passes: fc.boolean() }), { minLength: 2, maxLength: 4 }),
    passingTexts: fc.array(text, { maxLength: 3 }),
    addresses: fc.array(fc.webUrl(), { maxLength: 3 }),
  })
  .map(({ type, reference, options, passingTexts, addresses, ...about }) => {
    const rest = { ...about, ...(reference !== undefined && { reference }) }
    const kind = kindOf(type)
    if (kind !== undefined) return { ...rest, type: 'Text', kind, passingTexts: [] }
    if (isTyped(type))
      return { ...rest, type, passingTexts: type === 'URLQuestion' ? addresses : passingTexts }
    const fixed = options
      .slice(0, 2)
      .map(({ passes }, index) => ({ text: index === 0 ? 'False' : 'True', passes }))
    return { ...rest, type, options: type === 'True/False' ? fixed : options }
  })

/** A questionnaire as intake stores it, including IDs. */
const stored: Arbitrary<QuestionnaireFields> = fc
  .record({ name: line, questions: fc.array(question, { minLength: 1, maxLength: 4 }) })
  .map(body => readQuestionnaire({ advertiserId: 1, ...body }, description).content)

describe('a questionnaire in its form', () => {
  test('survives a round trip', () => {
    fc.assert(
      fc.property(stored, questionnaire => {
        const form = withoutEmptyOptions(sent(formOfQuestionnaire(questionnaire)))
        const { content } = readQuestionnaire(bodyOfQuestionnaire(form, 1), description)
        // A line break in a passing text equals a space, so it may become one.
        const questions = questionnaire.questions.map(each => ({
          ...each,
          passingTexts: each.passingTexts.map(passing => passing.replaceAll('\n', ' ')),
        }))
        assert.deepEqual(content, { ...questionnaire, questions })
      }),
    )
  })

  test('is read with any field names, and shown again as it was read', () => {
    const part = fc.constantFrom(
      'q',
      'o',
      '0',
      '1',
      '01',
      '999',
      '1000',
      '-1',
      'text',
      'id',
      'type',
      'passes',
      '',
    )
    const name = fc.oneof(
      fc.array(part, { maxLength: 6 }).map(parts => parts.join('-')),
      fc.constantFrom('__proto__', 'name'),
    )
    const value = fc.oneof(fc.constantFrom(...answerTypes, 'yes'), fc.string())
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), pairs => {
        const form = readQuestionnaireForm({ pairs: () => pairs })
        assert.ok(
          form.questions.length <= 1000 && form.questions.every(({ options }) => options.length <= 1000),
        )
        assert.deepEqual(sent(form), form)
        try {
          readQuestionnaire(bodyOfQuestionnaire(form, 1), description)
        } catch (error) {
          assert.ok(error instanceof Problem && error.code === 'invalid-fields', String(error))
        }
      }),
    )
  })

  test('takes the first of two fields with the same name, and orders rows by number', () => {
    const pairs: [string, string][] = [
      ['q-7-text', 'Seven'],
      ['q-2-text', 'Two'],
      ['q-2-text', 'Another'],
      ['q-2-type', 'Nonsense'],
    ]
    const { questions } = readQuestionnaireForm({ pairs: () => pairs })
    assert.deepEqual(
      questions.map(each => [each.text, each.type]),
      [
        ['Two', 'Text'],
        ['Seven', 'Text'],
      ],
    )
  })

  test('drops options that were never filled in, and pads to two rows', () => {
    const saved = { id: '1', text: '', passes: false }
    const form: QuestionnaireForm = {
      name: 'x',
      questions: [{ ...newQuestion('MultipleChoiceOneAnswer'), options: [saved, { ...saved, id: '' }] }],
    }
    assert.deepEqual(withoutEmptyOptions(form).questions[0]?.options, [saved])
    assert.equal(withRoom(withoutEmptyOptions(form)).questions[0]?.options.length, 2)
    assert.deepEqual(withRoom({ name: '', questions: [newQuestion('Text')] }).questions[0]?.options, [])
  })

  test('has a field for every path that a rule can report', () => {
    const places: Record<string, string> = {
      name: 'name',
      questions: 'add',
      'questions[3].text': 'q-3-text',
      'questions[3].id': 'q-3-text',
      'questions[3].options': 'q-3-add-option',
      'questions[3].options[1].text': 'q-3-o-1-text',
      'questions[3].options[1].id': 'q-3-o-1-text',
      'questions[3].reference': 'q-3-reference',
      'questions[3].passingTexts': 'q-3-passing',
      'questions[3].passingTexts[4]': 'q-3-passing',
    }
    for (const [path, field] of Object.entries(places)) assert.equal(fieldForPath(path), field)
  })
})

const index = fc.integer({ min: 0, max: 4 })
const edit: Arbitrary<QuestionnaireEdit> = fc.oneof(
  fc.constantFrom(...answerTypes).map((type): QuestionnaireEdit => ({ kind: 'add', type })),
  fc.record({ kind: fc.constantFrom('up', 'down', 'remove', 'add-option'), question: index }),
  fc.record({
    kind: fc.constantFrom('option-up', 'option-down', 'option-remove'),
    question: index,
    option: index,
  }),
)

describe('the buttons of the form', () => {
  const form: QuestionnaireForm = {
    name: 'x',
    questions: ['a', 'b', 'c'].map(each => ({
      ...newQuestion('MultipleChoiceOneAnswer'),
      text: each,
      options: ['1', '2', '3'].map(option => ({ id: '', text: each + option, passes: false })),
    })),
  }
  const after = (value: string) => edited(form, readEdit(value) as QuestionnaireEdit)
  const texts = ({ questions }: QuestionnaireForm) => questions.map(each => each.text).join('')
  const options = ({ questions }: QuestionnaireForm, row: number) =>
    questions[row]?.options.map(each => each.text).join(' ')

  test('move, remove and add', () => {
    assert.equal(texts(after('up 1')), 'bac')
    assert.equal(texts(after('down 1')), 'acb')
    assert.equal(texts(after('up 0')), 'abc')
    assert.equal(texts(after('down 2')), 'abc')
    assert.equal(texts(after('remove 0')), 'bc')
    assert.equal(options(after('option-up 1 2'), 1), 'b1 b3 b2')
    assert.equal(options(after('option-down 1 0'), 1), 'b2 b1 b3')
    assert.equal(options(after('option-remove 1 0'), 1), 'b2 b3')
    assert.equal(options(after('add-option 1'), 1), 'b1 b2 b3 ')
    assert.equal(options(after('add-option 1'), 0), 'a1 a2 a3')
    assert.deepEqual(after('add True/False').questions[3], newQuestion('True/False'))
  })

  test('add no more than the limit', () => {
    const [first] = form.questions
    const wide = { ...newQuestion('Text'), ...first, options: Array(screenAnswers).fill(first?.options[0]) }
    const full = { ...form, questions: Array<QuestionForm>(screenQuestions).fill(wide) }
    assert.deepEqual(edited(full, { kind: 'add', type: 'Text' }), full)
    assert.deepEqual(edited(full, { kind: 'add-option', question: 0 }), full)
  })

  test('encode their action, and other values are ignored', () => {
    fc.assert(fc.property(edit, each => assert.deepEqual(readEdit(editValue(each)), { ...each })))
    for (const value of [
      '',
      'add',
      'add Nonsense',
      'up',
      'up x',
      'up 1 2',
      'up -1',
      'up 01',
      'option-up 1',
      'save 1',
    ]) {
      assert.equal(readEdit(value), undefined, value)
    }
  })

  test('move the focus to an existing element, whichever was pressed', () => {
    const shape = fc.array(
      fc.record({
        type: fc.constantFrom<AnswerType>(...answerTypes),
        count: fc.integer({ min: 0, max: 3 }),
      }),
      { maxLength: 4 },
    )
    fc.assert(
      fc.property(shape, edit, (questions, pressed) => {
        const before: QuestionnaireForm = {
          name: '',
          questions: questions.map(({ type, count }) => ({
            ...newQuestion(type),
            ...(isTyped(type) || type === 'True/False'
              ? {}
              : { options: Array.from({ length: count }, () => ({ id: '', text: '', passes: false })) }),
          })),
        }
        // Only edits that have a button.
        const isOn = (row: number) => before.questions[row]
        if (pressed.kind !== 'add' && isOn(pressed.question) === undefined) return
        if ('option' in pressed && isOn(pressed.question)?.options[pressed.option] === undefined) return
        const isOfOptions = 'option' in pressed || pressed.kind === 'add-option'
        if (isOfOptions && typesLike(isOn(pressed.question)?.type ?? 'Text').includes('Text')) return
        if (isOfOptions && isOn(pressed.question)?.type === 'True/False') return
        const next = edited(before, pressed)
        const { text: page } = questionnaireFieldsMarkup(next, {
          errors: [],
          adRules: [],
          focus: focusAfter(pressed, next),
        })
        assert.ok(page.includes(' autofocus'), `${editValue(pressed)} -> ${focusAfter(pressed, next)}`)
      }),
    )
  })
})
