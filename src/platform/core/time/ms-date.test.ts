import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { times } from '../../../../test/harness/effort.ts'
import { parseAestDateTime, toAestIso, toMsDate } from './ms-date.ts'

/** All times with a four-digit year in AEST. */
const shown = fc.integer({
  min: Date.parse('0000-01-01T00:00:00.000+10:00'),
  max: Date.parse('9999-12-31T23:59:59.999+10:00'),
})

test("the contract's example is written as in the contract", () => {
  const at = Date.parse('2026-11-14T00:00:00Z')
  assert.equal(toMsDate(at), '/Date(1794614400000+1000)/')
  assert.equal(toAestIso(at), '2026-11-14T10:00:00.000+10:00')
  assert.equal(parseAestDateTime('2026-11-14T10:00:00'), at)
})

test('the offset is ten hours in summer too', () => {
  assert.equal(toAestIso(Date.parse('2027-01-15T00:00:00Z')), '2027-01-15T10:00:00.000+10:00')
  assert.equal(toAestIso(Date.parse('2026-07-15T00:00:00Z')), '2026-07-15T10:00:00.000+10:00')
})

test('both written forms name the same moment', () => {
  fc.assert(
    fc.property(shown, at => {
      const inJson = /^\/Date\((-?\d+)\+1000\)\/$/.exec(toMsDate(at))
      assert.equal(Number(inJson?.[1]), at)
      assert.match(toAestIso(at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+10:00$/)
      assert.equal(Date.parse(toAestIso(at)), at)
    }),
    { numRuns: times(100, 500) },
  )
})

test('a written time, cut to the second, parses as that second', () => {
  fc.assert(
    fc.property(shown, at => {
      const second = Math.floor(at / 1000) * 1000
      assert.equal(parseAestDateTime(toAestIso(at).slice(0, 19)), second)
    }),
    { numRuns: times(100, 500) },
  )
})

test('of all correctly formatted texts, exactly the real calendar times are parsed', () => {
  const two = fc.integer({ min: 0, max: 99 })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9999 }), two, two, two, two, two, (year, ...rest) => {
      const [month, day, hour, minute, second] = rest as [number, number, number, number, number]
      const digits = rest.map(value => String(value).padStart(2, '0'))
      const text = `${String(year).padStart(4, '0')}-${digits[0]}-${digits[1]}T${digits.slice(2).join(':')}`
      const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
      const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
      const isReal = day >= 1 && day <= days && hour <= 23 && minute <= 59 && second <= 59
      const at = parseAestDateTime(text)
      assert.equal(at !== undefined, isReal, text)
      if (at !== undefined) assert.equal(toAestIso(at), `${text}.000+10:00`)
    }),
    {
      numRuns: times(100, 2_000),
      examples: [
        [2026, 2, 28, 0, 0, 0],
        [2026, 2, 29, 0, 0, 0],
        [2024, 2, 29, 23, 59, 59],
        [1900, 2, 29, 0, 0, 0],
        [2000, 2, 29, 0, 0, 0],
      ],
    },
  )
})

const unreadable = [
  '2026-02-30T00:00:00',
  '2026-04-31T00:00:00',
  '2026-13-01T00:00:00',
  '2026-00-10T00:00:00',
  '2026-01-00T00:00:00',
  '2026-11-14T24:00:00',
  '2026-11-14T23:60:00',
  '2026-11-14T23:59:60',
  '2026-11-14t10:00:00',
  '2026-11-14 10:00:00',
  '2026-11-14T10:00:00Z',
  '2026-11-14T10:00:00+10:00',
  '2026-11-14T10:00:00.000',
  '2026-11-14T10:00',
  '2026-11-14',
  '20261114T100000',
  '+02026-11-14T10:00:00',
  '-2026-11-14T10:00:00',
  ' 2026-11-14T10:00:00',
  '2026-11-14T10:00:00\n',
  '２０２６-11-14T10:00:00',
  '1794614400000',
  '/Date(1794614400000+1000)/',
  'now',
  '',
]
for (const text of unreadable) {
  test(`not a time: ${JSON.stringify(text)}`, () => assert.equal(parseAestDateTime(text), undefined))
}
