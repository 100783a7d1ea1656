import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultLimits } from '../limits.ts'
import type { Answers, Question, Questionnaire } from './questionnaire.ts'
import { checkAnswers } from './questionnaire-answers.ts'

const limits = { ...defaultLimits, longTextLength: 20, urlAnswerLength: 30 }
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
  checkAnswers(of, new Map(answers), limits, id => `answer-${id}`).map(({ field, code }) => [field, code])

test('answers of every kind are accepted', () => {
  assert.deepEqual(
    check([
      ['one', ['a']],
      ['many', ['a', 'c']],
      ['truth', ['b']],
      ['text', 'Twenty characters ok'],
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
  ['a text that is too long', 'text', 'x'.repeat(21), 'too-long'],
  ['a text that XML cannot carry', 'text', 'a\u0000b', 'unwritable-character'],
  ['an address that is too long', 'url', `https://${'x'.repeat(30)}`, 'too-long'],
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
  const errors = checkAnswers(questionnaire, answers, limits, id => id)
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
