import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { silentLog } from '../../../test/harness/database.ts'
import { createBackground } from '../../core/async/background.ts'
import { Presence } from './presence.ts'
import { createWaiting } from './waiting-service.ts'

const stream = { advertiserId: 1 }
const present = () => new Presence()
const untilMs = performance.now() + 1_000_000

function waitingOver(numbers: () => number[], lookMs = 1_000_000, attend = () => () => {}) {
  return createWaiting({
    lastOf: async streams => streams.map((_, index) => numbers()[index] ?? 0),
    lookMs: () => lookMs,
    attend,
    background: createBackground(silentLog),
    limits: { eventWaitSeconds: 50, eventLookSeconds: 0.001 },
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
  const options = { untilMs, sinceMs: performance.now(), presence: present() }
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
  await waiting.wait(stream, 5, { untilMs, sinceMs, presence: present() })
  const later = waiting.wait(stream, 5, { untilMs, sinceMs: performance.now() + 1, presence: present() })
  assert.equal(await settled(later), false)
  waiting.close()
})

test('a look finds what no hint told of', async () => {
  let numbers = [5]
  const waiting = waitingOver(() => numbers, 5)
  const wait = waiting.wait(stream, 5, { untilMs, sinceMs: performance.now(), presence: present() })
  assert.equal(await settled(wait), false)
  numbers = [6]
  await wait
})

test('a hint without a stream makes it look, and counts for requests that are still being checked', async () => {
  let numbers = [5]
  let looks = 0
  const waiting = waitingOver(() => {
    looks += 1
    return numbers
  })
  waiting.changed()
  assert.equal(looks, 0, 'nothing waits')
  const sinceMs = performance.now()
  const wait = waiting.wait(stream, 5, { untilMs, sinceMs, presence: present() })
  waiting.changed()
  waiting.changed()
  assert.equal(await settled(wait), false)
  assert.equal(looks, 2, 'the second look follows the first')
  await waiting.wait(stream, 5, { untilMs, sinceMs, presence: present() })
  numbers = [6]
  waiting.changed()
  await wait
  assert.equal(waiting.foundByLooks(), 1)
})

test('a look that failed is repeated soon, however seldom looks are', async () => {
  let isAway = true
  const waiting = waitingOver(() => {
    if (isAway) throw new Error('the database cannot be reached')
    return [6]
  })
  const wait = waiting.wait(stream, 5, { untilMs, sinceMs: performance.now(), presence: present() })
  waiting.changed()
  assert.equal(await settled(wait), false)
  isAway = false
  await wait
})

test('it attends to hints of other processes while requests wait', async () => {
  const told: string[] = []
  const waiting = waitingOver(
    () => [],
    1_000_000,
    () => {
      told.push('attend')
      return () => void told.push('rest')
    },
  )
  const options = { untilMs, sinceMs: performance.now(), presence: present() }
  const waits = [waiting.wait(stream, 5, options), waiting.wait({ advertiserId: 2 }, 5, options)]
  assert.deepEqual(told, ['attend'])
  waiting.close()
  await Promise.all(waits)
  assert.deepEqual(told, ['attend', 'rest'])
})

test('waiting ends with its time, and when the caller leaves', async () => {
  const waiting = waitingOver(() => [])
  await waiting.wait(stream, 5, {
    untilMs: performance.now() + 1,
    sinceMs: performance.now(),
    presence: present(),
  })
  const caller = new Presence()
  const wait = waiting.wait(stream, 5, { untilMs, sinceMs: performance.now(), presence: caller })
  caller.leave()
  await wait
  assert.equal(waiting.count(), 0)
})

test('a request that is woken in several ways is counted once', async () => {
  const waiting = waitingOver(() => [])
  const caller = new Presence()
  const sinceMs = performance.now()
  const wait = waiting.wait(stream, 5, { untilMs, sinceMs, presence: caller })
  const other = waiting.wait({ clientId: 'other' }, 5, { untilMs, sinceMs, presence: present() })
  waiting.changed(stream)
  waiting.changed(stream)
  caller.leave()
  await wait
  assert.equal(waiting.count(), 1)
  waiting.close()
  await other
  assert.equal(waiting.count(), 0)
})
