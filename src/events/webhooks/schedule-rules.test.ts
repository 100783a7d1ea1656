import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptResult } from './ports.ts'
import { deferredPauseAfter, isGone, mayStepAside, noticesDue, paceMs, pauseAfter } from './schedule-rules.ts'

const failed = (status: number | null, more: Partial<AttemptResult> = {}): AttemptResult => ({
  outcome: 'refused',
  status,
  ms: 1,
  answer: null,
  ...more,
})
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

test('pauses grow to half an hour; a fifth may be added, nothing is taken away', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 100].map(failures => pauseAfter(failures, failed(500), 0) / second)
  assert.deepEqual(pauses, [5, 30, 120, 300, 900, 1800, 1800, 1800])
  assert.equal(pauseAfter(2, failed(500), 1), 36 * second)
  assert.equal(pauseAfter(1, failed(null, { outcome: 'timeout' }), 0), minute)
  assert.equal(pauseAfter(4, failed(null, { outcome: 'timeout' }), 0), 5 * minute)
})

test('Retry-After is honoured with 429 and 503, between the pause and an hour', () => {
  const asked = (status: number, seconds: number) =>
    pauseAfter(2, failed(status, { retryAfterMs: seconds * second }), 0) / second
  assert.deepEqual([asked(429, 1), asked(429, 90), asked(503, 90), asked(503, 9999)], [30, 90, 90, 3600])
  assert.equal(asked(500, 90), 30)
})

test('from the fourth refusal on, the next event is tried, unless the status means an outage', () => {
  assert.deepEqual(
    [1, 3, 4, 9].map(failures => mayStepAside(failures, failed(422))),
    [false, false, true, true],
  )
  for (const status of [408, 425, 429, 502, 503, 504]) assert.equal(mayStepAside(4, failed(status)), false)
  for (const outcome of ['timeout', 'dns', 'connect', 'tls', 'address', 'cut'] as const)
    assert.equal(mayStepAside(4, failed(null, { outcome })), false)
  assert.deepEqual([isGone(failed(410)), isGone(failed(404))], [true, false])
})

test('a parked event is retried for three days and then given up', () => {
  const pauses = Array.from({ length: 9 }, (_, failures) => deferredPauseAfter(failures, 0))
  assert.deepEqual(
    pauses.map(ms => ms && ms / hour),
    [5 / 60, 0.5, 2, 5, 10, 14, 20, 24, undefined],
  )
})

test('notices are due after an hour, four days and five, counted from the first failure to the last', () => {
  const due = (ms: number) => noticesDue(1000, 1000 + ms)
  assert.deepEqual([due(hour - 1), due(hour), due(4 * day - 1), due(4 * day), due(5 * day)], [0, 1, 1, 2, 3])
  assert.equal(noticesDue(null, null), 0)
})

test('old events are sent at a limited rate', () => {
  assert.equal(paceMs(0, minute, 50), 0)
  assert.equal(paceMs(0, minute + 1, 50), 20)
})
