import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortTime, zoneName } from './time.ts'

test('a short time says today and yesterday by the days of the zone, and the year only if it differs', () => {
  const now = Date.parse('2026-11-15T15:30:00Z')
  const words = (at: string, timeZone = 'Australia/Brisbane') =>
    />(.*)</.exec(shortTime(Date.parse(at), { timeZone, now }).text)?.[1]
  // In Brisbane it is already 16 November.
  assert.equal(words('2026-11-15T14:00:00Z'), 'Today, 12:00 am')
  assert.equal(words('2026-11-15T13:59:00Z'), 'Yesterday, 11:59 pm')
  assert.equal(words('2026-11-15T13:59:00Z', 'UTC'), 'Today, 1:59 pm')
  assert.equal(words('2026-11-14T13:59:00Z'), '14 Nov')
  assert.equal(words('2025-12-31T13:00:00Z'), '31 Dec 2025')
  assert.equal(words('2025-12-31T14:00:00Z'), '1 Jan')
})

test('a zone without a place is named by its distance from UTC, whose sign its own name has turned', () => {
  assert.equal(zoneName('America/St_Johns'), 'St Johns time')
  assert.equal(zoneName('Etc/GMT-10'), 'UTC+10')
  assert.equal(zoneName('Etc/GMT+5'), 'UTC-5')
})
