import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortTime } from './time.ts'

test('a short time says today and yesterday by the days of the zone, and the year only if it differs', () => {
  const now = Date.parse('2026-11-15T15:30:00Z')
  const words = (at: string, timeZone = 'Australia/Brisbane') =>
    />(.*)</.exec(shortTime(Date.parse(at), { timeZone, now }).text)?.[1]
  // In Brisbane it is already 16 November.
  assert.equal(words('2026-11-15T14:00:00Z'), 'Today, 00:00')
  assert.equal(words('2026-11-15T13:59:00Z'), 'Yesterday, 23:59')
  assert.equal(words('2026-11-15T13:59:00Z', 'UTC'), 'Today, 13:59')
  assert.equal(words('2026-11-14T13:59:00Z'), '14 Nov')
  assert.equal(words('2025-12-31T13:00:00Z'), '31 Dec 2025')
  assert.equal(words('2025-12-31T14:00:00Z'), '1 Jan')
})
