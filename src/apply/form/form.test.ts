import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyProfile } from '../../model/profile.ts'
import type { Questionnaire } from '../../model/questionnaire.ts'
import {
  type ApplyForm,
  checkApplyForm,
  formTexts,
  prefilledForm,
  questionField,
  questionsMark,
  readApplyForm,
} from './form.ts'

const screen: Questionnaire = {
  id: 1,
  name: 'Screen',
  questions: [
    {
      id: 'a/1',
      type: 'MultipleChoiceManyAnswers',
      text: 'Which?',
      isRequired: true,
      options: [
        { id: 'x', text: 'X', passes: true },
        { id: 'y', text: 'Y', passes: false },
      ],
      passingTexts: [],
    },
    { id: 'b', type: 'Text', text: 'Why?', isRequired: true, options: [], passingTexts: [] },
    { id: 'c', type: 'URLQuestion', text: 'Where?', isRequired: false, options: [], passingTexts: [] },
  ],
}

const resumes = [
  { id: 'infected', scan: 'infected', isDefault: true },
  { id: 'newest', scan: 'unscanned', isDefault: false },
  { id: 'older', scan: 'clean', isDefault: false },
]

function sent(pairs: [string, string][]) {
  return {
    get: (name: string) => pairs.find(([field]) => field === name)?.[1],
    all: (name: string) => pairs.flatMap(([field, value]) => (field === name ? [value] : [])),
  }
}

const good: ApplyForm = {
  firstName: 'Mary',
  lastName: 'Nguyen',
  email: 'mary@example.com',
  phone: '',
  work: 'none',
  jobTitle: '',
  company: '',
  months: '',
  resume: 'none',
  keepResume: true,
  keepForOthers: false,
  coverLetterText: '',
  answers: new Map(),
}

const check = (changes: Partial<ApplyForm>, of: Questionnaire | null = null) =>
  checkApplyForm({ ...good, ...changes }, { screen: of, resumes })

test('a form starts with the newest job, counted to this month, and with a resume that can be sent', () => {
  const job = { jobTitle: 'Barista', companyName: 'Dock', industry: null, achievements: '' }
  const candidate = { email: 'mary@example.com', firstName: 'Mary', lastName: 'Nguyen' }
  const worked = (from: string, to: string | null, day: string) =>
    prefilledForm(
      { ...candidate, profile: { ...emptyProfile, workHistory: [{ ...job, from, to }] } },
      resumes,
      Date.parse(day),
    )
  const form = worked('2025-04', null, '2026-11-15T00:00:00Z')
  assert.deepEqual(
    { ...form, answers: [...form.answers] },
    {
      ...good,
      work: 'job',
      jobTitle: 'Barista',
      company: 'Dock',
      months: '19',
      resume: 'newest',
      answers: [],
    },
  )
  // In Sydney it is already December.
  assert.equal(worked('2025-04', null, '2026-11-30T20:00:00Z').months, '20')
  const earlier = worked('2022-02', '2025-03', '2026-11-15T00:00:00Z')
  assert.deepEqual([earlier.months, earlier.work], ['37', 'none'])
  assert.equal(worked('2027-01', null, '2026-11-15T00:00:00Z').months, '0')
  const empty = prefilledForm({ ...candidate, profile: emptyProfile }, resumes.slice(0, 1), 0)
  assert.deepEqual([empty.months, empty.phone, empty.resume], ['', '', 'upload'])
})

test('names and phone numbers are single lines', () => {
  const { errors } = check({ firstName: 'Mary\nAnn', lastName: ' Nguyen\r\n', phone: '04\u202800' })
  assert.deepEqual(
    errors.map(({ field, code }) => [field, code]),
    [
      ['firstName', 'line-break'],
      ['phone', 'line-break'],
    ],
  )
})

test('answers are read by the type of their question, under names that fit into a page', () => {
  assert.match(questionField('a b"/<1>'), /^[^\s"<>/]+$/)
  const form = readApplyForm(
    sent([
      [questionField('a/1'), 'x'],
      [questionField('a/1'), 'y'],
      [questionField('b'), 'one\r\ntwo\rthree'],
      [questionField('gone'), 'x'],
    ]),
    screen,
  )
  assert.deepEqual(
    [...form.answers],
    [
      ['a/1', ['x', 'y']],
      ['b', 'one\ntwo\nthree'],
      ['c', ''],
    ],
  )
})

test('the mark of the questions changes with what the candidate sees, and only then', () => {
  const changed = (change: (copy: Questionnaire) => void) => {
    const copy = structuredClone(screen)
    change(copy)
    return questionsMark(copy) !== questionsMark(screen)
  }
  const [first] = structuredClone(screen).questions
  assert.ok(changed(copy => copy.questions.reverse()))
  assert.ok(changed(copy => copy.questions.pop()))
  assert.ok(changed(copy => Object.assign(copy.questions[1] ?? {}, { text: 'Why not?' })))
  assert.ok(changed(copy => Object.assign(copy.questions[1] ?? {}, { isRequired: false })))
  assert.ok(changed(copy => copy.questions[0]?.options.pop()))
  assert.ok(!changed(copy => Object.assign(copy.questions[1] ?? {}, { passingTexts: ['Because'] })))
  assert.ok(!changed(copy => Object.assign(copy, { name: 'Another name' })))
  assert.ok(first !== undefined)
  assert.notEqual(questionsMark(null), questionsMark(screen))
})

test('work experience is sent as the candidate entered it, and cannot be empty', () => {
  const filled = { jobTitle: ' Head  barista ', company: 'Dock', months: ' 1 200 ' }
  assert.equal(check({ ...filled, work: 'none' }).checked.work, undefined)
  assert.equal(check({ ...filled, work: 'whatever' }).checked.work, undefined)
  assert.deepEqual(check({ ...filled, work: 'new' }).checked.work, { isNewToWorkForce: true })
  assert.deepEqual(check({ ...filled, work: 'job' }).checked.work, {
    jobTitle: 'Head barista',
    companyName: 'Dock',
    timeInRoleMonths: 1200,
    isNewToWorkForce: false,
  })
  assert.deepEqual(
    check({ work: 'job' }).errors.map(({ field, message }) => [field, message]),
    [['jobTitle', formTexts.noWork]],
  )
  for (const months of ['1201', '-1', '1.5', 'x', '999999']) {
    assert.deepEqual(
      check({ work: 'job', months }).errors.map(({ field }) => field),
      ['months'],
      months,
    )
    assert.deepEqual(check({ work: 'none', months }).errors, [])
  }
})

test('a resume is one of those that can be sent, an upload, or none', () => {
  const kinds = ['newest', 'upload', 'none'].map(resume => check({ resume }))
  assert.deepEqual(
    kinds.map(({ checked, errors }) => [checked.resume, errors]),
    [
      [{ kind: 'stored', id: 'newest' }, []],
      [{ kind: 'upload' }, []],
      [{ kind: 'none' }, []],
    ],
  )
  const wrong = ['infected', 'somebody else’s', ''].map(resume => check({ resume }).errors[0]?.message)
  assert.deepEqual(wrong, [formTexts.resumeGone, formTexts.resumeGone, formTexts.noResume])
})

test('the script uses the words of the answer check', () => {
  const answers = new Map([['c', 'no address']])
  const messages = check({ answers }, screen).errors.map(({ field, message }) => [field, message])
  assert.deepEqual(messages, [
    [questionField('a/1'), formTexts.chooseAnswer],
    ['question-b', formTexts.enterAnswer],
    ['question-c', formTexts.notAnAddress],
  ])
  const long = check({ answers: new Map([['b', 'x'.repeat(10_001)]]) }, screen).errors[1]?.message
  assert.equal(long, formTexts.tooLong(10_000, 10_001))
})

test('every invalid contact detail is reported', () => {
  const { errors } = check({ firstName: '\u200b', lastName: 'x'.repeat(201), email: 'a@b', phone: '\u0000' })
  assert.deepEqual(
    errors.map(({ field, code }) => [field, code]),
    [
      ['firstName', 'empty'],
      ['lastName', 'too-long'],
      ['email', 'not-an-email'],
      ['phone', 'unwritable-character'],
    ],
  )
  assert.deepEqual(check({ email: '' }).errors[0]?.message, formTexts.email)
})
