import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc, { type Arbitrary } from 'fast-check'
import { acceptedText } from '../../../test/harness/arbitraries.ts'
import { formBody } from '../../../test/harness/html-form.ts'
import { Problem } from '../../core/problems.ts'
import { FormFields } from '../../http/requests/form.ts'
import { questionnaireBody, readQuestionnaire } from '../../jobs/questionnaire-check.ts'
import { defaultLimits as limits } from '../../limits.ts'
import { type QuestionType, questionTypes } from '../../model/application.ts'
import { isTyped, type QuestionnaireFields } from '../../model/questionnaire.ts'
import { questionnaireFieldsMarkup } from './builder-markup.ts'
import {
  edited,
  editValue,
  focusAfter,
  kindsLike,
  newQuestion,
  type QuestionnaireEdit,
  readEdit,
} from './questionnaire-edit.ts'
import {
  bodyOfQuestionnaire,
  fieldOfPath,
  fieldsOfQuestionnaireForm,
  formOfQuestionnaire,
  type QuestionnaireForm,
  readQuestionnaireForm,
  withoutEmptyOptions,
  withRoom,
} from './questionnaire-form.ts'

const description = questionnaireBody(limits)

/** The form submitted by a browser and read back. */
const sent = (form: QuestionnaireForm) =>
  readQuestionnaireForm(new FormFields(formBody(fieldsOfQuestionnaireForm(form))))

const text = acceptedText(limits.longTextLength, true)
const line = acceptedText(limits.nameLength, true).map(value => value.replaceAll(/[\n\t\r]/g, ' '))

const question = fc
  .record({
    type: fc.constantFrom(...questionTypes),
    text,
    isRequired: fc.boolean(),
    options: fc.array(fc.record({ text, passes: fc.boolean() }), { minLength: 2, maxLength: 4 }),
    passingTexts: fc.array(text, { maxLength: 3 }),
    addresses: fc.array(fc.webUrl(), { maxLength: 3 }),
  })
  .map(({ type, options, passingTexts, addresses, ...rest }) => {
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
    const value = fc.oneof(fc.constantFrom(...questionTypes, 'yes'), fc.string())
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
      'questions[3].passingTexts': 'q-3-passing',
      'questions[3].passingTexts[4]': 'q-3-passing',
    }
    for (const [path, field] of Object.entries(places)) assert.equal(fieldOfPath(path), field)
  })
})

const index = fc.integer({ min: 0, max: 4 })
const edit: Arbitrary<QuestionnaireEdit> = fc.oneof(
  fc.constantFrom(...questionTypes).map((type): QuestionnaireEdit => ({ kind: 'add', type })),
  fc.record({ kind: fc.constantFrom('up', 'down', 'remove', 'add-option'), question: index }),
  fc.record({
    kind: fc.constantFrom('option-up', 'option-down', 'option-remove'),
    question: index,
    option: index,
  }),
)

describe('the buttons of the form', () => {
  const bounds = { screenQuestions: 4, screenAnswers: 4 }
  const form: QuestionnaireForm = {
    name: 'x',
    questions: ['a', 'b', 'c'].map(each => ({
      ...newQuestion('MultipleChoiceOneAnswer'),
      text: each,
      options: ['1', '2', '3'].map(option => ({ id: '', text: each + option, passes: false })),
    })),
  }
  const after = (value: string) => edited(form, readEdit(value) as QuestionnaireEdit, bounds)
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
    const full = after('add Text')
    assert.equal(edited(full, { kind: 'add', type: 'Text' }, bounds).questions.length, 4)
    const wide = after('add-option 0')
    assert.equal(options(edited(wide, { kind: 'add-option', question: 0 }, bounds), 0), 'a1 a2 a3 ')
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
        type: fc.constantFrom<QuestionType>(...questionTypes),
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
        if (isOfOptions && kindsLike(isOn(pressed.question)?.type ?? 'Text').includes('Text')) return
        if (isOfOptions && isOn(pressed.question)?.type === 'True/False') return
        const next = edited(before, pressed, limits)
        const { text: page } = questionnaireFieldsMarkup(next, {
          limits,
          errors: [],
          focus: focusAfter(pressed, next),
        })
        assert.ok(page.includes(' autofocus'), `${editValue(pressed)} -> ${focusAfter(pressed, next)}`)
      }),
    )
  })
})
