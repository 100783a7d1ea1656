import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importLine } from '../../../test/harness/import-lines.ts'
import { Problem } from '../../platform/core/problems.ts'
import { placeOfLine, readLine, reasonOfProblem } from './line.ts'

const now = Date.parse('2026-11-14T00:00:00Z')
const bytes = (line: string) => Buffer.from(line)
const sample = (more: object = {}) => importLine(7, 1, '2026-11-13T10:00:00+10:00', more)

function refusal(content: Uint8Array): string {
  try {
    readLine(content, now)
  } catch (error) {
    if (error instanceof Problem) return reasonOfProblem(error)
    throw error
  }
  return 'taken'
}

test('a line is read with all its parts', () => {
  const screen = {
    id: 's1',
    name: 'A few questions',
    successful: false,
    questions: [
      { id: 'q1', type: 'Text', text: 'Why?', answers: [{ id: 'a1', text: 'Because', selected: true }] },
    ],
  }
  const info = { jobTitle: 'Barista', companyName: 'Dock', timeInRoleMonths: 18, isNewToWorkForce: false }
  const line = sample({
    jobReference: 'HCR-7',
    primaryJobSeekingInfo: info,
    screen: { result: screen },
    files: [
      { type: 'resume', path: 'resumes/1.pdf', fileName: 'Casey.pdf', uploaded: '2026-11-12T00:00:00Z' },
      { type: 'coverLetter', path: 'letters/1.txt' },
    ],
  })
  const submittedAt = Date.parse('2026-11-13T00:00:00Z')
  assert.deepEqual(readLine(bytes(line), now), {
    advertiserId: 7,
    submittedAt,
    application: {
      jobSeekerId: 'seeker-1',
      contact: { email: 'casey.1@example.com', firstName: 'Casey', lastName: 'Ng 1', phone: '' },
      jobReference: 'HCR-7',
      primaryJobSeekingInfo: info,
      screen,
    },
    files: [
      {
        type: 'resume',
        path: 'resumes/1.pdf',
        fileName: 'Casey.pdf',
        uploadedAt: Date.parse('2026-11-12T00:00:00Z'),
      },
      { type: 'coverLetter', path: 'letters/1.txt', fileName: 'letters/1.txt', uploadedAt: submittedAt },
    ],
  })
  assert.deepEqual(placeOfLine(bytes(line)), { advertiserId: 7, at: submittedAt })
})

test('null counts as absent, and an advertiser may be a string of digits', () => {
  const read = readLine(bytes(sample({ advertiserId: '7', jobReference: null, files: null })), now)
  assert.equal(read.advertiserId, 7)
  assert.ok(!('jobReference' in read.application))
  assert.deepEqual(read.files, [])
})

const refused: [name: string, content: string | Uint8Array, reason: string][] = [
  ['no JSON', '{', 'The line is not JSON.'],
  ['no object', '[1]', 'It must be a JSON object.'],
  ['no UTF-8', Buffer.concat([bytes('{"a":"'), Buffer.from([0xff]), bytes('"}')]), 'The line is not UTF-8.'],
  ['a job ad', sample({ jobAdId: 5 }), 'jobAdId is not a known field.'],
  [
    'an unknown field inside',
    sample({ files: [{ type: 'resume', path: 'x', size: 1 }] }),
    'files[0].size is not a known field.',
  ],
  ['a key that is no word', sample({ 'a\u001B[2J': 1 }), '"a\\u001b[2J" is not a known field.'],
  ['no date', sample({ submitted: undefined }), 'submitted must be sent.'],
  [
    'a date without zone',
    sample({ submitted: '2026-11-13T10:00:00' }),
    'submitted must be a time with its zone, such as 2026-11-14T10:00:00+10:00.',
  ],
  [
    'a day that is none',
    sample({ submitted: '2026-02-31T10:00:00Z' }),
    'submitted must be a time with its zone, such as 2026-11-14T10:00:00+10:00.',
  ],
  [
    'a date in the future',
    sample({ submitted: '2026-11-14T00:00:00.001Z' }),
    'submitted must not be in the future.',
  ],
  ['no advertiser', sample({ advertiserId: 'Acme' }), 'advertiserId must be a positive whole number.'],
  ['no contact', sample({ contact: 'Casey' }), 'contact must be a JSON object.'],
  [
    'half a contact',
    sample({ contact: { email: 1 } }),
    'contact.email must be a string. contact.firstName must be sent. contact.lastName must be sent.',
  ],
  [
    'another type of file',
    sample({ files: [{ type: 'photo', path: 'x' }] }),
    'files[0].type must be one of resume, coverLetter, selectionCriteria.',
  ],
  [
    'a type twice',
    sample({
      files: [
        { type: 'resume', path: 'x' },
        { type: 'resume', path: 'y' },
      ],
    }),
    'files must contain each type at most once.',
  ],
  [
    'answers without their outcome',
    sample({ screen: { screenId: 1, answers: [] } }),
    'screen.result must be sent. screen.screenId is not a known field. screen.answers is not a known field.',
  ],
  [
    'a hundred faults',
    sample(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x${index}`, 1]))),
    'x0 is not a known field. x1 is not a known field. x2 is not a known field. x3 is not a known field. x4 is not a known field. There are more errors.',
  ],
]

for (const [name, content, reason] of refused) {
  test(`refused: ${name}`, () => {
    assert.equal(refusal(typeof content === 'string' ? bytes(content) : content), reason)
  })
}

test('a line without a position is rejected too', () => {
  for (const more of [{ submitted: 'today' }, { advertiserId: 0 }, { advertiserId: 1.5 }, { submitted: 5 }]) {
    assert.equal(placeOfLine(bytes(sample(more))), undefined)
    assert.notEqual(refusal(bytes(sample(more))), 'taken')
  }
  for (const line of ['null', '5', '{', '"x"']) assert.equal(placeOfLine(bytes(line)), undefined)
})
