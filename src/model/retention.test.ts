import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { times } from '../../test/harness/effort.ts'
import { timeZones } from '../platform/core/time/time-zone.ts'
import {
  addMonths,
  choiceBefore,
  chosenMonths,
  dueAt,
  dueBefore,
  isShorter,
  periodAt,
  type RetentionBounds,
  resolvePeriod,
  retentionNoticeMs,
  type StoredPeriod,
} from './retention.ts'

const numRuns = times(300, 5000)
const dayMs = 86_400_000
const moment = fc.integer({ min: Date.parse('2005-01-01T00:00Z'), max: Date.parse('2060-01-01T00:00Z') })
const zone = fc.constantFrom(...timeZones())
const months = fc.integer({ min: 1, max: 120 })
const period = (count: number | null) => ({ months: count, change: null })

test('months end on the same day, or on the last of a shorter month', () => {
  for (const [from, count, to] of [
    ['2027-01-31', 1, '2027-02-28'],
    ['2028-01-31', 1, '2028-02-29'],
    ['2027-01-28', 1, '2027-02-28'],
    ['2026-11-14', 12, '2027-11-14'],
    ['2028-02-29', 12, '2029-02-28'],
    ['2027-12-31', 2, '2028-02-29'],
    ['2027-03-31', -1, '2027-02-28'],
    ['2027-01-15', -13, '2025-12-15'],
  ] as const)
    assert.equal(addMonths(from, count), to, from)
})

test('an application is kept to the end of its last day in the time zone of the company', () => {
  for (const [sent, count, timeZone, due] of [
    ['2027-01-31T12:00:00Z', 1, 'UTC', '2027-03-01T00:00:00Z'],
    // Already the first of February in Brisbane.
    ['2027-01-31T14:00:00Z', 1, 'Australia/Brisbane', '2027-03-01T14:00:00Z'],
    // Summer time begins in between.
    ['2027-01-15T12:00:00Z', 6, 'Europe/London', '2027-07-15T23:00:00Z'],
  ] as const)
    assert.equal(dueAt(Date.parse(sent), period(count), timeZone), Date.parse(due), sent)
  assert.equal(dueAt(0, period(null), 'UTC'), null)
})

test('exactly the applications before the bound are due', () => {
  const near = fc.integer({ min: -3 * dayMs, max: 3 * dayMs })
  fc.assert(
    fc.property(moment, months, zone, near, (at, count, timeZone, distance) => {
      const bound = dueBefore(at, count, timeZone)
      for (const sent of [bound - 1, bound, bound + distance]) {
        const due = dueAt(sent, period(count), timeZone)
        assert.equal(due !== null && due <= at, sent < bound, `${sent}`)
      }
    }),
    { numRuns },
  )
})

test('a later application and a longer period never end earlier, and none ends before its months are over', () => {
  fc.assert(
    fc.property(
      moment,
      fc.nat(90 * dayMs),
      months,
      fc.nat(12),
      zone,
      (sent, later, count, more, timeZone) => {
        const due = dueAt(sent, period(count), timeZone) ?? 0
        assert.ok((dueAt(sent + later, period(count), timeZone) ?? 0) >= due)
        assert.ok((dueAt(sent, period(count + more), timeZone) ?? 0) >= due)
        assert.ok(due - sent > count * 28 * dayMs && due - sent <= (count * 31 + 2) * dayMs)
      },
    ),
    { numRuns },
  )
})

const anyMonths = fc.option(months)
const bounds: fc.Arbitrary<RetentionBounds> = fc
  .uniqueArray(months, { minLength: 3, maxLength: 3 })
  .chain(found => {
    const [min = 1, middle = 1, max = 1] = found.toSorted((a, b) => a - b)
    return fc.constantFrom(null, min, middle, max).map(standard => ({ standard, min, max }))
  })
const step = fc.record({
  after: fc.nat(20 * dayMs),
  choice: fc.option(anyMonths, { nil: undefined }),
  bounds: fc.option(bounds, { nil: undefined }),
  isEmpty: fc.boolean(),
})

test('whatever company and operator change, nothing becomes due earlier than fourteen days after the change', () => {
  const sent = fc.array(fc.integer({ min: -1200 * dayMs, max: 0 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(bounds, fc.array(step, { maxLength: 12 }), sent, (first, steps, ages) => {
      let now = Date.parse('2026-11-14T00:00:00Z')
      let stored: StoredPeriod = { choice: null, months: null, next: null, changesAt: null }
      let current = first
      for (const { after, choice, bounds: changed, isEmpty } of steps) {
        now += after
        current = changed ?? current
        const before = periodAt(stored, now)
        const wished = { ...stored, ...(choice === undefined ? {} : { choice }) }
        const resolved = resolvePeriod(wished, current, { now, isEmpty })
        const since = periodAt(resolved, now)
        assert.equal(since.change?.months ?? since.months, chosenMonths(resolved.choice, current))
        assert.ok(since.change === null || isShorter(since.change.months, since.months))
        assert.deepEqual(resolvePeriod(resolved, current, { now, isEmpty: false }), resolved, 'it stays so')
        if (!isEmpty)
          for (const age of ages) {
            const promised = dueAt(now + age, before, 'UTC') ?? Number.POSITIVE_INFINITY
            const due = dueAt(now + age, since, 'UTC') ?? Number.POSITIVE_INFINITY
            assert.ok(due >= Math.min(promised, now + retentionNoticeMs))
          }
        const back = choiceBefore(since, current)
        if (back !== undefined) {
          const takenBack = resolvePeriod({ ...resolved, choice: back }, current, { now, isEmpty: false })
          assert.deepEqual(periodAt(takenBack, now), { months: since.months, change: null })
        }
        stored = resolved
      }
    }),
    { numRuns },
  )
})
