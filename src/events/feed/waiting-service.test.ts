import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { silentLog } from '../../../test/harness/database.ts'
import type { Stream } from '../../model/events.ts'
import { currentAuditContext, withAuditContext } from '../../platform/core/async/audit-context.ts'
import { createBackground } from '../../platform/core/async/background.ts'
import { createWaiting } from './waiting-service.ts'

const stream = { advertiserId: 1 }
const untilMs = performance.now() + 1_000_000

function waitingOver(numbers: () => number[], lookMs = 1_000_000, attend = () => () => {}) {
  return createWaiting({
    lastOf: async streams => streams.map((_, index) => numbers()[index] ?? 0),
    lookMs: () => lookMs,
    attend,
    background: createBackground(silentLog),
    limits: { eventPollSeconds: 0.001 },
  })
}

type Waiting = ReturnType<typeof waitingOver>

/** Resolves when it is woken. */
function wait(
  waiting: Waiting,
  {
    of = stream,
    since = performance.now(),
    until = untilMs,
  }: { of?: Stream; since?: number; until?: number } = {},
) {
  const { promise: woken, resolve: onWake } = Promise.withResolvers<void>()
  const waiter = { stream: of, number: 5, untilMs: until, sinceMs: since, onWake }
  waiting.wait(waiter)
  return { woken, waiter }
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
  const own = wait(waiting)
  const other = wait(waiting, { of: { clientId: 'other' } })
  assert.equal(waiting.count(), 2)
  waiting.changed(stream)
  await own.woken
  assert.equal(await settled(other.woken), false)
  waiting.close()
  await other.woken
  assert.equal(waiting.count(), 0)
})

test('a hint that came while the request was checked counts', async () => {
  const waiting = waitingOver(() => [])
  const since = performance.now()
  waiting.changed(stream)
  await wait(waiting, { since }).woken
  const later = wait(waiting, { since: performance.now() + 1 })
  assert.equal(await settled(later.woken), false)
  waiting.close()
})

test('a look finds what no hint told of', async () => {
  let numbers = [5]
  const waiting = waitingOver(() => numbers, 5)
  const { woken } = wait(waiting)
  assert.equal(await settled(woken), false)
  numbers = [6]
  await woken
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
  const since = performance.now()
  const { woken } = wait(waiting, { since })
  waiting.changed()
  waiting.changed()
  assert.equal(await settled(woken), false)
  assert.equal(looks, 2, 'the second look follows the first')
  await wait(waiting, { since }).woken
  numbers = [6]
  waiting.changed()
  await woken
  assert.equal(waiting.foundByLooks(), 1)
})

test('a look that failed is repeated soon, however seldom looks are', async () => {
  let isAway = true
  const waiting = waitingOver(() => {
    if (isAway) throw new Error('the database cannot be reached')
    return [6]
  })
  const { woken } = wait(waiting)
  waiting.changed()
  assert.equal(await settled(woken), false)
  isAway = false
  await woken
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
  const waits = [wait(waiting).woken, wait(waiting, { of: { advertiserId: 2 } }).woken]
  assert.deepEqual(told, ['attend'])
  waiting.close()
  await Promise.all(waits)
  assert.deepEqual(told, ['attend', 'rest'])
})

test('waiting ends with its time, and when the caller leaves', async () => {
  const waiting = waitingOver(() => [])
  await wait(waiting, { until: performance.now() + 1 }).woken
  const { woken, waiter } = wait(waiting)
  waiting.wake(waiter)
  await woken
  assert.equal(waiting.count(), 0)
})

test('a request that is woken in several ways is woken and counted once', async () => {
  const waiting = waitingOver(() => [])
  let wakes = 0
  const onWake = () => {
    wakes += 1
  }
  const waiter = { stream, number: 5, untilMs, sinceMs: performance.now(), onWake }
  waiting.wait(waiter)
  const other = wait(waiting, { of: { clientId: 'other' } })
  waiting.changed(stream)
  waiting.changed(stream)
  waiting.wake(waiter)
  assert.equal(wakes, 1)
  assert.equal(waiting.count(), 1)
  waiting.close()
  await other.woken
  assert.equal(waiting.count(), 0)
})

test('a request is not woken in the name of the caller whose write wakes it', async () => {
  const waiting = waitingOver(() => [])
  const actors: string[] = []
  const onWake = () => void actors.push(currentAuditContext().actor.id)
  const waiter = { stream, number: 5, untilMs, onWake }
  const writer = { clock: () => 0, actor: { kind: 'person', id: 'writer', proof: 'password' } } as const
  withAuditContext(writer, () => {
    waiting.wait({ ...waiter, sinceMs: performance.now() })
    waiting.changed(stream)
    waiting.wait({ ...waiter, sinceMs: 0 })
  })
  assert.deepEqual(actors, ['test', 'test'], 'the actor of the program')
})
