import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/harness/any-character.ts'
import { times } from '../../../test/harness/effort.ts'
import { Problem } from '../../platform/core/problems.ts'
import { readCompletionDate } from './completion-request.ts'

const now = Date.parse('2026-11-14T00:00:00Z')
const dayMs = 86_400_000
const read = (completionDate: unknown) => readCompletionDate({ completionDate }, now)

function faultOf(completionDate: unknown): string | undefined {
  try {
    read(completionDate)
    return undefined
  } catch (error) {
    assert.ok(error instanceof Problem && error.code === 'invalid-fields', String(error))
    assert.deepEqual(
      error.errors.map(({ field }) => field),
      ['completionDate'],
    )
    return error.errors[0]?.code
  }
}

const pad = (value: number) => String(value).padStart(2, '0')

/** The time on a clock that is this many minutes ahead of UTC. */
function written(at: number, offsetMinutes: number): string {
  const local = new Date(at + offsetMinutes * 60_000).toISOString().slice(0, -1)
  const ahead = Math.abs(offsetMinutes)
  return `${local}${offsetMinutes < 0 ? '-' : '+'}${pad(Math.floor(ahead / 60))}:${pad(ahead % 60)}`
}

test('every time is read exactly, in any time zone', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: dayMs, max: now + dayMs }),
      fc.integer({ min: -1439, max: 1439 }),
      (at, offsetMinutes) => {
        assert.equal(read(written(at, offsetMinutes)), at)
        assert.equal(read(new Date(at).toISOString()), at)
      },
    ),
  )
})

test('allows 24 hours ahead and not a millisecond more', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 * dayMs }),
      fc.integer({ min: -1439, max: 1439 }),
      (ms, offset) => {
        assert.equal(faultOf(written(now + dayMs + ms, offset)), 'in-the-future')
      },
    ),
  )
  assert.equal(read(written(now + dayMs, 600)), now + dayMs)
})

test('rejects days that do not exist', () => {
  for (let month = 1; month <= 12; month++) {
    const last = new Date(Date.UTC(2025, month, 0)).getUTCDate()
    assert.equal(faultOf(`2025-${pad(month)}-${last}T23:59:59Z`), undefined)
    for (let day = last + 1; day <= 40; day++)
      assert.equal(faultOf(`2025-${pad(month)}-${day}T00:00:00Z`), 'invalid')
    assert.equal(faultOf(`2025-${pad(month)}-00T00:00:00Z`), 'invalid')
  }
  assert.equal(faultOf('2024-02-29T00:00:00+10:00'), undefined)
  assert.equal(faultOf('2000-02-29T00:00:00Z'), undefined)
  assert.equal(faultOf('2023-02-29T00:00:00Z'), 'invalid')
})

test('rejects invalid times and times without a zone', () => {
  const wrong = [
    '2026-11-14',
    '2026-11-14T00:00:00',
    '2026-11-14T24:00:00Z',
    '2026-11-14T23:59:60Z',
    '2026-11-14T00:00:00+1000',
    'now',
    ' ',
    '0',
  ]
  for (const value of wrong) assert.equal(faultOf(value), 'invalid', value)
  for (const value of [undefined, null, '']) assert.equal(faultOf(value), 'required')
  for (const value of [now, 0, Number.NaN, true, [], {}, new Date(now)])
    assert.equal(faultOf(value), 'wrong-type')
})

test('any text is either rejected or a time between the epoch and tomorrow', () => {
  const digits = fc.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/)
  fc.assert(
    fc.property(fc.oneof(digits, fc.string({ unit: anyCharacter })), value => {
      if (faultOf(value) !== undefined) return
      const at = read(value)
      assert.ok(at >= 0 && at <= now + dayMs)
      assert.equal(at, Date.parse(value))
    }),
    { numRuns: times(100, 2_000) },
  )
})

test('rejects bodies that are not objects; inherited properties count as not sent', () => {
  for (const body of [undefined, null, [], 'text', 5, true]) {
    assert.throws(
      () => readCompletionDate(body, now),
      (error: unknown) => error instanceof Problem && error.code === 'bad-request',
    )
  }
  const inherited = Object.create({ completionDate: '2026-11-14T00:00:00Z' })
  assert.throws(
    () => readCompletionDate(inherited, now),
    (error: unknown) => error instanceof Problem && error.errors[0]?.code === 'required',
  )
})
