import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { silentLog } from '../../../test/harness/database.ts'
import { createBackground } from '../../core/async/background.ts'
import { createWaiting } from './waiting-service.ts'

const stream = { advertiserId: 1 }
const never = new AbortController().signal

function waitingOver(numbers: () => number[], lookMs = 1_000_000) {
  return createWaiting({
    lastOf: async streams => streams.map((_, index) => numbers()[index] ?? 0),
    lookMs: () => lookMs,
    background: createBackground(silentLog),
    limits: { eventWaitSeconds: 50 },
  })
}

const settled = async (promise: Promise<unknown>) => {
  let isSettled = false
  void promise.then(() => {
    isSettled = true
  })
  await turn()
  return isSettled
}

test('a hint wakes the requests of its stream only', async () => {
  const waiting = waitingOver(() => [])
  const options = { ms: 1_000_000, sinceMs: performance.now(), signal: never }
  const own = waiting.wait(stream, 5, options)
  const other = waiting.wait({ clientId: 'other' }, 5, options)
  assert.equal(waiting.count(), 2)
  waiting.changed(stream)
  await own
  assert.equal(await settled(other), false)
  waiting.close()
  await other
  assert.equal(waiting.count(), 0)
})

test('a hint that came while the request was checked counts', async () => {
  const waiting = waitingOver(() => [])
  const sinceMs = performance.now()
  waiting.changed(stream)
  await waiting.wait(stream, 5, { ms: 1_000_000, sinceMs, signal: never })
  const later = waiting.wait(stream, 5, { ms: 1_000_000, sinceMs: performance.now() + 1, signal: never })
  assert.equal(await settled(later), false)
  waiting.close()
})

test('a look finds what no hint told of', async () => {
  let numbers = [5]
  const waiting = waitingOver(() => numbers, 5)
  const wait = waiting.wait(stream, 5, { ms: 1_000_000, sinceMs: performance.now(), signal: never })
  assert.equal(await settled(wait), false)
  numbers = [6]
  await wait
})

test('waiting ends with its time, and when the caller leaves', async () => {
  const waiting = waitingOver(() => [])
  await waiting.wait(stream, 5, { ms: 1, sinceMs: performance.now(), signal: never })
  const caller = new AbortController()
  const wait = waiting.wait(stream, 5, { ms: 1_000_000, sinceMs: performance.now(), signal: caller.signal })
  caller.abort()
  await wait
  assert.equal(waiting.count(), 0)
})
