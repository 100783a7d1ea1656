import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { questionTypes } from '../model/application.ts'
import { screenAnswers, screenQuestions } from '../model/questionnaire.ts'
import { Problem } from '../platform/core/problems.ts'
import { questionnaireBody, readQuestionnaire, readReplacement } from './questionnaire-check.ts'

const description = questionnaireBody()
const advertiserId = 10_000_001
const read = (questions: unknown) =>
  readQuestionnaire({ advertiserId, name: 'Barista', questions }, description).content
const one = (question: Record<string, unknown>) => read([{ text: 'Where?', ...question }]).questions[0]

function faults(body: unknown): string[][] {
  try {
    readQuestionnaire(body, description)
  } catch (error) {
    assert.ok(error instanceof Problem)
    assert.equal(error.code, 'invalid-fields')
    return error.errors.map(({ field, code }) => [field, code])
  }
  return []
}
const faultsOf = (questions: unknown) => faults({ advertiserId, name: 'Barista', questions })
const choices = (...texts: string[]) => texts.map(text => ({ text }))

test('a new question in a replacement gets an ID that no other has, however fast replacements follow', () => {
  const kept = { id: 'why', type: 'Text', text: 'Why?' }
  const current = read([kept, { type: 'MultipleChoiceManyAnswers', text: 'Shifts?', options: choices('A') }])
  const [, shifts] = current.questions
  const questions = [
    { type: 'Text', text: 'New?' },
    kept,
    { ...shifts, options: [...(shifts?.options ?? []), { text: 'B' }] },
  ]
  const ids = Array.from({ length: 100 }, () => {
    const { questions: read } = readReplacement({ advertiserId, name: 'x', questions }, description, current)
    return [read[0]?.id, read[2]?.options[1]?.id]
  }).flat()
  assert.equal(new Set(ids).size, 200)
})

test('the options of a question that was gone, or of a type without options, get IDs that no earlier ones had', () => {
  const chosen = { id: 'why', type: 'MultipleChoiceManyAnswers', text: 'Why?', options: choices('A', 'B') }
  const replaced = (question: object, current: ReturnType<typeof read>) =>
    readReplacement({ advertiserId, name: 'x', questions: [question] }, description, current)
  const former = read([chosen])
  const again = replaced(chosen, replaced({ id: 'why', type: 'Text', text: 'Why?' }, former))
  const gone = replaced({ id: 'other', type: 'Text', text: 'Other?' }, former)
  const returned = replaced(chosen, gone)
  const ids = [former, again, returned].flatMap(({ questions }) => questions[0]?.options.map(({ id }) => id))
  assert.equal(new Set(ids).size, 6)
})

describe('a questionnaire in a body', () => {
  test('questions of all five types, with defaults filled in', () => {
    const { name, questions } = read([
      {
        type: 'MultipleChoiceOneAnswer',
        text: 'Years?',
        isRequired: true,
        options: [{ text: '0' }, { text: '3', passes: true }],
      },
      { type: 'MultipleChoiceManyAnswers', text: 'Shifts?', options: choices('Mornings') },
      { type: 'True/False', text: 'Right to work?' },
      { type: 'Text', text: ' City?\r\nAny ', passingTexts: [' Newcastle '] },
      { type: 'URLQuestion', text: 'Portfolio?', options: [], passingTexts: null },
    ])
    assert.equal(name, 'Barista')
    const free = { isRequired: false, options: [] }
    assert.deepEqual(questions, [
      {
        id: '1',
        type: 'MultipleChoiceOneAnswer',
        text: 'Years?',
        isRequired: true,
        options: [
          { id: '1', text: '0', passes: false },
          { id: '2', text: '3', passes: true },
        ],
        passingTexts: [],
      },
      {
        id: '2',
        type: 'MultipleChoiceManyAnswers',
        text: 'Shifts?',
        isRequired: false,
        options: [{ id: '1', text: 'Mornings', passes: false }],
        passingTexts: [],
      },
      {
        id: '3',
        type: 'True/False',
        text: 'Right to work?',
        isRequired: false,
        options: [
          { id: '1', text: 'True', passes: false },
          { id: '2', text: 'False', passes: false },
        ],
        passingTexts: [],
      },
      { id: '4', type: 'Text', text: 'City?\nAny', ...free, passingTexts: ['Newcastle'] },
      { id: '5', type: 'URLQuestion', text: 'Portfolio?', ...free, passingTexts: [] },
    ])
  })

  test('True and False may be written out, in either order, to say which one passes', () => {
    const options = [
      { id: 'no', text: 'False' },
      { text: 'True', passes: true },
    ]
    assert.deepEqual(one({ type: 'True/False', options })?.options, [
      { id: 'no', text: 'False', passes: false },
      { id: '1', text: 'True', passes: true },
    ])
  })

  test('given IDs are kept, and missing ones get unused numbers', () => {
    const text = { type: 'Text', text: 'x' }
    const { questions } = read([text, { ...text, id: '1' }, text, { ...text, id: '3' }, text])
    assert.deepEqual(
      questions.map(({ id }) => id),
      ['2', '1', '4', '3', '5'],
    )
  })

  test('the result of a check passes the check unchanged', () => {
    const { questions } = read([
      { id: 'q!', type: 'MultipleChoiceOneAnswer', text: 'x', options: choices('a', 'b') },
      { type: 'URLQuestion', text: 'x', passingTexts: ['https://example.com'] },
      { type: 'True/False', text: 'x' },
    ])
    assert.deepEqual(read(questions).questions, questions)
  })

  test('any body is either a questionnaire or a list of invalid fields', () => {
    const part = fc.oneof(fc.constantFrom(...questionTypes, '', 'x', '1'), fc.jsonValue({ maxDepth: 2 }))
    const option = fc.oneof(part, fc.record({ id: part, text: part, passes: part }, { requiredKeys: [] }))
    const question = fc.record(
      { id: part, type: part, text: part, isRequired: part, options: fc.array(option), passingTexts: part },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(part, fc.array(fc.oneof(question, part))), questions => {
        for (const [field, code] of faultsOf(questions)) {
          if (code !== 'more') assert.match(field ?? '', /^questions/)
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('refused in a questionnaire', () => {
  const text = { type: 'Text', text: 'x' }
  const url = { type: 'URLQuestion', text: 'x' }
  const wrong: [string, unknown, string, string][] = [
    ['no questions', [], 'questions', 'too-few'],
    ['nothing for questions', undefined, 'questions', 'too-few'],
    ['too many questions', Array(screenQuestions + 1).fill(text), 'questions', 'too-many'],
    ['a question that is no object', [text, 'x'], 'questions[1]', 'wrong-type'],
    ['an unknown type', [{ type: 'Choice', text: 'x' }], 'questions[0].type', 'unknown'],
    ['no type', [{ text: 'x' }], 'questions[0].type', 'unknown'],
    ['no text', [{ type: 'Text' }], 'questions[0].text', 'empty'],
    [
      'a text that XML cannot carry',
      [{ type: 'Text', text: '\u0001x' }],
      'questions[0].text',
      'unwritable-character',
    ],
    ['a word for a truth value', [{ ...text, isRequired: 'yes' }], 'questions[0].isRequired', 'wrong-type'],
    [
      'an ID twice',
      [
        { ...text, id: 'a' },
        { ...text, id: 'a' },
      ],
      'questions[1].id',
      'repeated',
    ],
    ['an ID with a space', [{ ...text, id: 'a b' }], 'questions[0].id', 'invalid'],
    ['an empty ID', [{ ...text, id: '' }], 'questions[0].id', 'invalid'],
    ['an ID that is too long', [{ ...text, id: 'x'.repeat(51) }], 'questions[0].id', 'invalid'],
    ['an ID that is a number', [{ ...text, id: 7 }], 'questions[0].id', 'wrong-type'],
    ['a misspelt key', [{ ...text, required: true }], 'questions[0].required', 'unknown'],
    ['options of a text', [{ ...text, options: choices('a') }], 'questions[0].options', 'not-here'],
    [
      'a passing text that is empty',
      [{ ...text, passingTexts: ['a', ' '] }],
      'questions[0].passingTexts[1]',
      'empty',
    ],
    [
      'an address to pass that is none',
      [{ ...url, passingTexts: ['https://example.com/a', 'example.com/a'] }],
      'questions[0].passingTexts[1]',
      'cannot-pass',
    ],
    [
      'an address to pass that is longer than an answer',
      [{ ...url, passingTexts: [`https://example.com/${'a'.repeat(2_000)}`] }],
      'questions[0].passingTexts[0]',
      'too-long',
    ],
    [
      'passing texts that are none',
      [{ ...text, passingTexts: [1] }],
      'questions[0].passingTexts',
      'wrong-type',
    ],
    [
      'too many passing texts',
      [{ ...text, passingTexts: Array(screenAnswers + 1).fill('a') }],
      'questions[0].passingTexts',
      'too-many',
    ],
  ]
  const choice = { type: 'MultipleChoiceOneAnswer', text: 'x', options: choices('a', 'b') }
  const many = { ...choice, type: 'MultipleChoiceManyAnswers' }
  const truth = { ...choice, type: 'True/False' }
  const wrongChoices: [string, unknown, string, string][] = [
    ['one option to choose from', { ...choice, options: choices('a') }, 'options', 'too-few'],
    ['no options', { ...many, options: [] }, 'options', 'too-few'],
    [
      'too many options',
      { ...many, options: choices(...Array(screenAnswers + 1).fill('a')) },
      'options',
      'too-many',
    ],
    ['options that are no list', { ...choice, options: { a: 1 } }, 'options', 'wrong-type'],
    ['passing texts of a choice', { ...choice, passingTexts: ['a'] }, 'passingTexts', 'not-here'],
    ['yes and no', { ...truth, options: choices('Yes', 'No') }, 'options', 'not-true-false'],
    ['both truths in one', { ...truth, options: choices('False,True') }, 'options', 'not-true-false'],
    ['one truth twice', { ...truth, options: choices('True', 'True') }, 'options', 'not-true-false'],
    ['three truths', { ...truth, options: choices('True', 'False', 'False') }, 'options', 'not-true-false'],
    ['an option without text', { ...choice, options: [{ text: 'a' }, {}] }, 'options[1].text', 'empty'],
    [
      'an option twice',
      {
        ...choice,
        options: [
          { id: '1', text: 'a' },
          { id: '1', text: 'b' },
        ],
      },
      'options[1].id',
      'repeated',
    ],
    ['a misspelt option', { ...many, options: [{ text: 'a', pass: true }] }, 'options[0].pass', 'unknown'],
    ['an option that is a text', { ...many, options: [{ text: 'a' }, 'b'] }, 'options[1]', 'wrong-type'],
  ]
  const all = [
    ...wrong,
    ...wrongChoices.map(
      ([name, question, field, code]) => [name, [question], `questions[0].${field}`, code] as const,
    ),
  ]
  for (const [name, questions, field, code] of all) {
    test(name, () => assert.deepEqual(faultsOf(questions)[0], [field, code]))
  }

  test('one fault is reported once', () => {
    for (const [name, questions] of wrong.slice(2)) assert.equal(faultsOf(questions).length, 1, name)
  })

  test('a name of two lines, and no advertiser', () => {
    assert.deepEqual(faults({ name: 'a\nb', questions: [text] }), [
      ['advertiserId', 'required'],
      ['name', 'line-break'],
    ])
  })
})
