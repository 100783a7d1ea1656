import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { jobAdBody, jobDescriptionLength, readJobAd } from '../jobs/job-ad-check.ts'
import { Problem } from '../platform/core/problems.ts'
import { closesAt, isCalendarDay, isOpen } from './job-ad.ts'
import { nameLength, referenceLength } from './text-lengths.ts'

const description = jobAdBody()

describe('whether an ad is open', () => {
  // The closing day ends at 24:00 in UTC+10, which is 14:00 UTC.
  const lastMoment = Date.parse('2026-11-20T13:59:59.999Z')
  const zone = 'Australia/Brisbane'
  // Sydney and Havana change their clocks at midnight or after it, Apia skipped its 30th of December.
  const days: [timeZone: string, closingDate: string, closesAt: string][] = [
    [zone, '2026-11-20', '2026-11-20T14:00:00Z'],
    ['America/Havana', '2026-10-31', '2026-11-01T04:00:00Z'],
    ['America/Havana', '2026-11-01', '2026-11-02T05:00:00Z'],
    ['Africa/Cairo', '2026-04-23', '2026-04-23T22:00:00Z'],
    ['Asia/Beirut', '2026-10-24', '2026-10-24T22:00:00Z'],
    ['Pacific/Apia', '2011-12-29', '2011-12-30T10:00:00Z'],
    ['Pacific/Kiritimati', '2026-11-20', '2026-11-20T10:00:00Z'],
    ['Pacific/Pago_Pago', '2026-11-20', '2026-11-21T11:00:00Z'],
    ['America/St_Johns', '9999-12-31', '+010000-01-01T03:30:00Z'],
    [zone, '9999-12-31', '9999-12-31T14:00:00Z'],
  ]
  for (const [timeZone, closingDate, end] of days) {
    test(`it takes applications until ${closingDate} ends in ${timeZone}`, () => {
      const ad = { status: 'open', closingDate } as const
      const at = Date.parse(end)
      assert.equal(closesAt(closingDate, timeZone), at)
      assert.equal(isOpen(ad, at - 1, timeZone), true)
      if (!closingDate.startsWith('9')) assert.equal(isOpen(ad, at, timeZone), false)
    })
  }
  test('without a closing day it is open until it is closed', () => {
    assert.equal(isOpen({ status: 'open', closingDate: null }, lastMoment, zone), true)
    assert.equal(isOpen({ status: 'closed', closingDate: null }, lastMoment, zone), false)
    assert.equal(isOpen({ status: 'closed', closingDate: '2099-01-01' }, lastMoment, zone), false)
  })
})

test('a day is a calendar date, in one form', () => {
  for (const day of ['2026-11-20', '2028-02-29', '0001-01-01', '9999-12-31'])
    assert.ok(isCalendarDay(day), day)
  const none = ['2026-02-29', '2026-11-31', '2026-13-01', '2026-00-10', '2026-1-1', '20261120', ' 2026-11-20']
  for (const day of [...none, '2026-11-20T00:00:00Z', '+012026-01-01', '', 'tomorrow']) {
    assert.equal(isCalendarDay(day), false, day)
  }
})

const good = {
  advertiserId: 10_000_001,
  title: 'Head barista',
  location: 'Newcastle NSW',
  description: 'Coffee.\nEvery day.',
}
const faults = (body: unknown) => {
  try {
    readJobAd(body, description)
  } catch (error) {
    assert.ok(error instanceof Problem)
    assert.equal(error.code, 'invalid-fields')
    return error.errors.map(({ field, code }) => [field, code])
  }
  return []
}

describe('a job ad in a body', () => {
  test('omitted fields are null', () => {
    assert.deepEqual(readJobAd(good, description), {
      advertiserId: 10_000_001,
      content: {
        title: 'Head barista',
        location: 'Newcastle NSW',
        description: 'Coffee.\nEvery day.',
        reference: null,
        screenId: null,
        closingDate: null,
        details: {},
      },
    })
  })

  test('texts are trimmed, line breaks normalised, and numbers may be strings of digits', () => {
    const sent = {
      advertiserId: '10000001',
      title: ' Head barista ',
      location: 'Newcastle',
      description: '\r\nOne\r\n\r\nTwo\r',
      reference: ' HCR-7 ',
      screenId: '1001',
      closingDate: '2026-12-24',
    }
    assert.deepEqual(readJobAd(sent, description), {
      advertiserId: 10_000_001,
      content: {
        title: 'Head barista',
        location: 'Newcastle',
        description: 'One\n\nTwo',
        reference: 'HCR-7',
        screenId: 1001,
        closingDate: '2026-12-24',
        details: {},
      },
    })
  })

  test('the longest texts are accepted, and one character more is not', () => {
    const at = (over: number) => ({
      ...good,
      title: 'x'.repeat(nameLength + over),
      location: 'x'.repeat(nameLength + over),
      description: 'x'.repeat(jobDescriptionLength + over),
      reference: 'x'.repeat(referenceLength + over),
    })
    assert.deepEqual(faults(at(0)), [])
    assert.deepEqual(
      faults(at(1)),
      ['title', 'location', 'description', 'reference'].map(field => [field, 'too-long']),
    )
  })

  const wrong: [string, Record<string, unknown>, [string, string]][] = [
    ['a title of two lines', { title: 'Head\nbarista' }, ['title', 'line-break']],
    ['an invisible title', { title: '\u200b \u2060' }, ['title', 'empty']],
    ['no location', { location: null }, ['location', 'empty']],
    [
      'a description that XML cannot carry',
      { description: 'a\u0007b' },
      ['description', 'unwritable-character'],
    ],
    ['half a surrogate pair', { reference: 'a\ud800' }, ['reference', 'unwritable-character']],
    ['a day that does not exist', { closingDate: '2026-02-30' }, ['closingDate', 'invalid']],
    ['a day as a number', { closingDate: 20_261_220 }, ['closingDate', 'wrong-type']],
    ['a screen that is no number', { screenId: 'abc' }, ['screenId', 'wrong-type']],
    ['a title of another type', { title: { text: 'x' } }, ['title', 'wrong-type']],
    ['a misspelt key', { closingdate: '2026-12-24' }, ['closingdate', 'unknown']],
    ['a key that is ours to say', { status: 'closed' }, ['status', 'unknown']],
    ['no advertiser', { advertiserId: undefined }, ['advertiserId', 'required']],
    ['an advertiser with a sign', { advertiserId: -1 }, ['advertiserId', 'wrong-type']],
  ]
  for (const [name, part, expected] of wrong) {
    test(`refused: ${name}`, () => {
      assert.deepEqual(faults({ ...good, ...part }), [expected])
    })
  }

  test('rejected: not an object', () => {
    for (const body of [null, undefined, [], 'text', 1, true])
      assert.deepEqual(faults(body), [['', 'wrong-type']])
  })

  test('all errors are reported at once', () => {
    const fields = faults({ title: 1, closingDate: 'soon', extra: true }).map(([field]) => field)
    assert.deepEqual(
      new Set(fields),
      new Set(['advertiserId', 'title', 'location', 'description', 'closingDate', 'extra']),
    )
  })
})
