import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { acceptedDraft, unwritableText } from '../../test/harness/arbitraries.ts'
import { times } from '../../test/harness/effort.ts'
import type { ApplicationDraft } from '../model/application.ts'
import { screenAnswers, screenQuestions } from '../model/questionnaire.ts'
import { longTextLength, nameLength, phoneLength, referenceLength } from '../model/text-lengths.ts'
import { emailLength } from '../platform/core/email.ts'
import { checkDraft, monthsInRole } from './draft-check.ts'

test('any text that XML can carry, within the limits, is accepted', () => {
  fc.assert(
    fc.property(acceptedDraft, draft => assert.deepEqual(checkDraft(draft), [])),
    { numRuns: times(100, 500) },
  )
})

const full: ApplicationDraft = {
  jobSeekerId: 'seeker',
  contact: { email: 'mary@example.com', firstName: 'Mary', lastName: 'Nguyen', phone: '' },
  jobReference: 'HCR-7',
  files: [
    {
      type: 'resume',
      fileName: 'resume.pdf',
      contentType: 'application/pdf',
      blob: '20261115/00/resume',
      sha256: '0'.repeat(64),
      size: 1,
      scan: 'clean',
      uploadedAt: 0,
    },
  ],
  primaryJobSeekingInfo: {
    jobTitle: 'Barista',
    companyName: 'Dock',
    timeInRoleMonths: 1,
    isNewToWorkForce: false,
  },
  screen: {
    id: '501',
    name: 'Screen',
    successful: true,
    questions: [
      { id: '7', type: 'Text', text: 'Why?', answers: [{ id: '9', text: 'Because', selected: true }] },
    ],
  },
}

/** Every text of a draft: the field that errors name, its maximum length, and whether it may be empty. */
const texts: [
  field: string,
  maxLength: number,
  mayBeEmpty: boolean,
  put: (value: string) => ApplicationDraft,
][] = [
  ['jobSeekerId', nameLength, false, value => ({ ...full, jobSeekerId: value })],
  ['email', emailLength, false, email => ({ ...full, contact: { ...full.contact, email } })],
  ['firstName', nameLength, false, firstName => ({ ...full, contact: { ...full.contact, firstName } })],
  ['lastName', nameLength, false, lastName => ({ ...full, contact: { ...full.contact, lastName } })],
  ['phone', phoneLength, true, phone => ({ ...full, contact: { ...full.contact, phone } })],
  ['jobReference', referenceLength, false, jobReference => ({ ...full, jobReference })],
  [
    'primaryJobSeekingInfo.jobTitle',
    nameLength,
    false,
    jobTitle => ({ ...full, primaryJobSeekingInfo: { jobTitle, isNewToWorkForce: false } }),
  ],
  [
    'primaryJobSeekingInfo.companyName',
    nameLength,
    false,
    companyName => ({ ...full, primaryJobSeekingInfo: { companyName, isNewToWorkForce: false } }),
  ],
  ['files[0].fileName', nameLength, false, fileName => withFile({ fileName })],
  ['screen.id', nameLength, false, id => withQuestionnaire({ id })],
  ['screen.name', nameLength, false, name => withQuestionnaire({ name })],
  ['screen.questions[0].id', nameLength, false, id => withQuestion({ id })],
  ['screen.questions[0].text', longTextLength, false, text => withQuestion({ text })],
  ['screen.questions[0].answers[0].id', nameLength, false, id => withAnswer({ id })],
  [
    'screen.questions[0].answers[0].text',
    longTextLength,
    true,
    text => withAnswer({ text, selected: text !== '' }),
  ],
]

type Questionnaire = NonNullable<ApplicationDraft['screen']>
type Question = Questionnaire['questions'][number]
type Answer = Question['answers'][number]
type File = ApplicationDraft['files'][number]

function withFile(change: Partial<File>): ApplicationDraft {
  return { ...full, files: [{ ...(full.files[0] as File), ...change }] }
}
function withQuestionnaire(change: Partial<Questionnaire>): ApplicationDraft {
  return { ...full, screen: { ...(full.screen as Questionnaire), ...change } }
}
function withQuestion(change: Partial<Question>): ApplicationDraft {
  return withQuestionnaire({ questions: [{ ...(full.screen?.questions[0] as Question), ...change }] })
}
function withAnswer(change: Partial<Answer>): ApplicationDraft {
  return withQuestion({ answers: [{ ...(full.screen?.questions[0]?.answers[0] as Answer), ...change }] })
}

/** The codes with which this field, and no other, is rejected. */
function refusals(draft: ApplicationDraft, field: string): string[] {
  const errors = checkDraft(draft)
  for (const error of errors) {
    assert.equal(error.field, field)
    assert.ok(error.message.startsWith(field))
  }
  return errors.map(error => error.code)
}

test('the draft that the other tests modify is accepted', () => assert.deepEqual(checkDraft(full), []))

for (const [field, maxLength, mayBeEmpty, put] of texts) {
  test(`${field}: characters that XML cannot carry are rejected`, () => {
    fc.assert(
      fc.property(unwritableText, text => {
        const value = text.slice(0, maxLength)
        fc.pre(value === text)
        assert.ok(refusals(put(value), field).includes('unwritable-character'))
      }),
      { numRuns: 50 },
    )
  })

  test(`${field}: ${maxLength} characters fit, one more does not`, () => {
    const ending = field === 'email' ? '@b' : ''
    assert.deepEqual(refusals(put('a'.repeat(maxLength - ending.length) + ending), field), [])
    assert.deepEqual(refusals(put('a'.repeat(maxLength + 1 - ending.length) + ending), field), ['too-long'])
  })

  test(`${field}: ${mayBeEmpty ? 'may' : 'must not'} be empty`, () => {
    for (const blank of ['', ' ', '\n\t', '\u200b', '\u2060 \u202e']) {
      assert.equal(refusals(put(blank), field).includes('empty'), !mayBeEmpty)
    }
  })
}

test('single-line fields reject every kind of line break', () => {
  const texts = { firstName: 'a\nb', lastName: 'a\r', phone: '1\u20282' }
  const info = { jobTitle: 'a\u0085b', companyName: 'a\u2029b', isNewToWorkForce: false }
  const draft = { ...full, contact: { ...full.contact, ...texts }, primaryJobSeekingInfo: info }
  const fields = [
    ...Object.keys(texts),
    'primaryJobSeekingInfo.jobTitle',
    'primaryJobSeekingInfo.companyName',
  ]
  assert.deepEqual(
    checkDraft(draft).map(({ field, code }) => [field, code]),
    fields.map(field => [field, 'line-break']),
  )
})

test('an email address has visible text on both sides of one @, and is only one address', () => {
  const halves = ['a', '@', 'a@', '@b', 'a@b@c', 'a b@c', 'a@b c', 'a@b\n', '\ta@b']
  const unseen = ['\u200b@\u202e', 'a@\u3164', '\u00ada@b', 'a@b\u200b']
  const lists = ['<a>@b,c;d', 'a@b,c', 'Mary <a@b>', '"a"@b', 'a(b)@c', 'a@[::1]']
  for (const email of [...halves, ...unseen, ...lists]) {
    const draft = { ...full, contact: { ...full.contact, email } }
    assert.ok(refusals(draft, 'email').includes('not-an-address'), JSON.stringify(email))
  }
})

test('addresses in real use are accepted, even if they violate a standard', () => {
  const addresses = [
    "o'neill+jobs/au@example.com",
    'a..b.@docomo.example',
    'zoë@münchen.example',
    'ผู้ใช้@ตัวอย่าง.ไทย',
    'me@i❤.example',
    'root@localhost',
  ]
  for (const email of addresses) {
    assert.deepEqual(checkDraft({ ...full, contact: { ...full.contact, email } }), [], email)
  }
})

const others: [what: string, draft: ApplicationDraft, field: string, code: string][] = [
  ...[-1, 1.5, monthsInRole + 1, Number.NaN, Number.POSITIVE_INFINITY].map(
    (timeInRoleMonths): [string, ApplicationDraft, string, string] => [
      `${timeInRoleMonths} months`,
      { ...full, primaryJobSeekingInfo: { timeInRoleMonths, isNewToWorkForce: false } },
      'primaryJobSeekingInfo.timeInRoleMonths',
      'out-of-range',
    ],
  ),
  ['two resumes', { ...full, files: [...full.files, ...full.files] }, 'files', 'repeated'],
  ...['', 'pdf', 'text/plain\r\nX-Evil: 1', 'text/plain; charset=utf-8; x=y', 'text/pläin', '*/*'].map(
    (contentType): [string, ApplicationDraft, string, string] => [
      `content type ${JSON.stringify(contentType)}`,
      withFile({ contentType }),
      'files[0].contentType',
      'not-a-type',
    ],
  ),
  [
    'a Text question without an answer',
    withQuestion({ answers: [] }),
    'screen.questions[0].answers',
    'not-one',
  ],
  [
    'a Text question with two answers',
    withQuestion({ answers: Array(2).fill({ id: '1', text: 'a', selected: true }) }),
    'screen.questions[0].answers',
    'not-one',
  ],
  ...(['Text', 'URLQuestion'] as const).flatMap((type): [string, ApplicationDraft, string, string][] => {
    const answered = (text: string, selected: boolean) =>
      withQuestion({ type, answers: [{ id: '1', text, selected }] })
    const field = 'screen.questions[0].answers[0].selected'
    return [
      [`${type}: a text that was not entered`, answered('https://a.example', false), field, 'not-as-entered'],
      [`${type}: nothing that was entered`, answered('', true), field, 'not-as-entered'],
    ]
  }),
  ...(['MultipleChoiceOneAnswer', 'True/False'] as const).map(
    (type): [string, ApplicationDraft, string, string] => [
      `two of ${type}`,
      withQuestion({ type, answers: Array(2).fill({ id: '1', text: 'a', selected: true }) }),
      'screen.questions[0].answers',
      'several',
    ],
  ),
  [
    'too many questions',
    withQuestionnaire({ questions: Array(screenQuestions + 1).fill(full.screen?.questions[0]) }),
    'screen.questions',
    'too-many',
  ],
  [
    'too many answers',
    withQuestion({
      type: 'MultipleChoiceManyAnswers',
      answers: Array(screenAnswers + 1).fill({ id: '1', text: '', selected: false }),
    }),
    'screen.questions[0].answers',
    'too-many',
  ],
]
for (const [what, draft, field, code] of others) {
  test(`refused: ${what}`, () => assert.deepEqual(refusals(draft, field), [code]))
}

test('too many questions and answers are rejected without being read', () => {
  const nothing = { id: '', text: '', selected: false }
  const answers = Array(screenAnswers + 1).fill(nothing)
  const question = { id: '', type: 'Text', text: '', answers } as const
  const questions = Array(screenQuestions + 1).fill(question)
  assert.deepEqual(refusals(withQuestionnaire({ questions }), 'screen.questions'), ['too-many'])
  const one = withQuestion({ type: 'MultipleChoiceManyAnswers', answers })
  assert.deepEqual(refusals(one, 'screen.questions[0].answers'), ['too-many'])
})

test('several answers to a question that allows several, and none to one that asks for one, are accepted', () => {
  const answers = ['a', 'b'].map(id => ({ id, text: id, selected: true }))
  const unchosen = answers.map(answer => ({ ...answer, selected: false }))
  assert.deepEqual(checkDraft(withQuestion({ type: 'MultipleChoiceManyAnswers', answers })), [])
  assert.deepEqual(checkDraft(withQuestion({ type: 'True/False', answers: unchosen })), [])
  const left = { id: '1', text: '', selected: false }
  assert.deepEqual(checkDraft(withQuestion({ type: 'Text', answers: [left] })), [])
})

test('every invalid field is reported, not only the first', () => {
  const contact = { email: '', firstName: '', lastName: '\0', phone: 'x'.repeat(51) }
  const fields = checkDraft({ ...full, contact }).map(error => error.field)
  assert.deepEqual([...new Set(fields)], ['email', 'firstName', 'lastName', 'phone'])
})
