import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answers, Question, Questionnaire } from './questionnaire.ts'
import { checkAnswers, urlAnswerLength } from './questionnaire-answers.ts'
import { questionnaireResult } from './questionnaire-outcome.ts'
import { longAnswerLength, longTextLength } from './text-lengths.ts'

const options = ['a', 'b', 'c'].map(id => ({ id, text: id.toUpperCase(), passes: false }))
const asked = (id: string, type: Question['type'], isRequired = false): Question => ({
  id,
  type,
  text: `${id}?`,
  isRequired,
  options: type === 'Text' || type === 'URLQuestion' ? [] : options,
  passingTexts: [],
})
const questionnaire: Questionnaire = {
  id: 1,
  name: 'All kinds',
  questions: [
    asked('one', 'MultipleChoiceOneAnswer'),
    asked('many', 'MultipleChoiceManyAnswers'),
    asked('truth', 'True/False'),
    asked('text', 'Text'),
    asked('url', 'URLQuestion'),
  ],
}
const check = (answers: [string, readonly string[] | string][], of = questionnaire) =>
  checkAnswers(of, new Map(answers), id => `answer-${id}`).map(({ field, code }) => [field, code])

test('answers of every kind are accepted', () => {
  assert.deepEqual(
    check([
      ['one', ['a']],
      ['many', ['a', 'c']],
      ['truth', ['b']],
      ['text', 'x'.repeat(longTextLength)],
      ['url', 'HTTPS://example.com/me?x=1'],
    ]),
    [],
  )
})

test('no answers are accepted where none is required', () => {
  assert.deepEqual(check([]), [])
  const empty: [string, readonly string[] | string][] = [
    ['one', []],
    ['many', []],
    ['truth', []],
    ['text', ''],
    ['url', '  '],
  ]
  assert.deepEqual(check(empty), [])
})

test('required questions must be answered, and white space is not an answer', () => {
  const required = {
    ...questionnaire,
    questions: questionnaire.questions.map(each => ({ ...each, isRequired: true })),
  }
  const all = ['one', 'many', 'truth', 'text', 'url'].map(id => [`answer-${id}`, 'required'])
  assert.deepEqual(check([], required), all)
  for (const nothing of [' \n ', '\u200b', '\u2060 \u202e\u3164']) {
    assert.deepEqual(check([['text', nothing]], required), all)
  }
})

const wrong: [string, string, readonly string[] | string, string][] = [
  ['two answers where one is wanted', 'one', ['a', 'b'], 'several'],
  ['true and false', 'truth', ['a', 'b'], 'several'],
  ['an option that is not offered', 'many', ['a', 'x'], 'unknown-option'],
  ['a text instead of options', 'one', 'a', 'wrong-type'],
  ['options instead of a text', 'text', ['a'], 'wrong-type'],
  ['a text that is too long', 'text', 'x'.repeat(longTextLength + 1), 'too-long'],
  ['a text that XML cannot carry', 'text', 'a\u0000b', 'unwritable-character'],
  ['an address that is too long', 'url', `https://${'x'.repeat(urlAnswerLength)}`, 'too-long'],
  ['an address without its beginning', 'url', 'example.com', 'invalid-url'],
  ['an address that contains a space', 'url', 'https://example.com/a b', 'invalid-url'],
  ['an address that runs code', 'url', 'javascript:alert(1)', 'invalid-url'],
  ['an address of another kind', 'url', 'ftp://example.com', 'invalid-url'],
  ['a question that is not asked', 'else', ['a'], 'unknown-question'],
]
for (const [name, id, given, code] of wrong) {
  test(`refused: ${name}`, () => assert.deepEqual(check([[id, given]]), [[`answer-${id}`, code]]))
}

test('the same option twice is one answer', () => {
  assert.deepEqual(check([['one', ['a', 'a']]]), [])
})

test('all errors are reported at once, in the order of the questions', () => {
  const answers: Answers = new Map<string, readonly string[] | string>([
    ['else', 'x'],
    ['url', 'nowhere'],
    ['one', ['x']],
  ])
  const errors = checkAnswers(questionnaire, answers, id => id)
  assert.deepEqual(
    errors.map(({ field }) => field),
    ['one', 'url', 'else'],
  )
  assert.equal(errors[1]?.message, 'Enter the full link, starting with https:// or http://.')
})

test('an unknown question is named in one short line, whatever its ID', () => {
  const [[field] = []] = check([['\u0001"'.repeat(100_000), 'x']])
  assert.match(String(field), /^answer-"(\\u0001\\"){25}"$/)
})

test('each kind takes its own form, and its answer is stored in one form', () => {
  const kinds = ['number', 'date', 'longText', 'statement'] as const
  const asks: Questionnaire = {
    id: 1,
    name: 'Kinds',
    questions: kinds.map(kind => ({ ...asked(kind, 'Text'), kind })),
  }
  const stored = (kind: (typeof kinds)[number], text: string) => {
    const answers = new Map([[kind, text]])
    const [fault] = checkAnswers(asks, answers, id => id)
    const given = questionnaireResult(asks, answers).questions.find(({ id }) => id === kind)
    return fault?.code ?? given?.answers[0]?.text
  }
  const numbers = {
    ' 48 000 ': '48000',
    '7,50': '7.5',
    '-0': '0',
    '0.125': '0.125',
    '+3': '3',
    '000123456789': '123456789',
  }
  for (const [text, is] of Object.entries(numbers)) assert.equal(stored('number', text), is, text)
  // Half of the world reads 50.000 as fifty thousand.
  for (const text of ['50.000', '50,000', '1e3', '1,2,3', 'ten', '0x1', '1234567890123', '1.', '½'])
    assert.equal(stored('number', text), 'not-a-number', text)
  assert.equal(stored('date', '2028-02-29'), '2028-02-29')
  for (const text of ['2027-02-29', '29.02.2028', '2028-2-9', '1899-12-31', 'soon'])
    assert.equal(stored('date', text), 'not-a-date', text)
  assert.equal(stored('longText', 'x'.repeat(longAnswerLength)), 'x'.repeat(longAnswerLength))
  assert.equal(stored('longText', 'x'.repeat(longAnswerLength + 1)), 'too-long')
  assert.equal(stored('statement', 'Read'), 'Read')
  assert.equal(stored('statement', 'yes'), 'not-read')
  assert.deepEqual(
    kinds.map(kind => stored(kind, '')),
    ['', '', '', ''],
  )
  const required = { ...asks, questions: asks.questions.map(each => ({ ...each, isRequired: true })) }
  assert.deepEqual(
    checkAnswers(required, new Map(), id => id).map(({ code }) => code),
    kinds.map(() => 'required'),
  )
  assert.equal(questionnaireResult(required, new Map([['statement', 'Read']])).successful, false)
  const all = new Map(Object.entries({ number: '1', date: '2027-01-01', longText: 'x', statement: 'Read' }))
  assert.equal(questionnaireResult(required, all).successful, true)
})
