import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { createSharedTimers } from './shared-timers.ts'

/** Counts the timers that are started, and lets them run. */
function countTimers(): () => number {
  const { mock: started } = mock.method(globalThis, 'setTimeout')
  return () => started.callCount()
}

type Call = (now: number) => void
const createCalls = () => createSharedTimers<Call>(call => call(performance.now()))

test('items of one moment share a timer, and none is due early', async () => {
  const count = countTimers()
  const timers = createCalls()
  const at = Math.ceil(performance.now()) + 20
  const before = count()
  const times = Array.from({ length: 50 }, () => {
    const { promise, resolve } = Promise.withResolvers<number>()
    timers.add(at - 0.5, resolve)
    return promise
  })
  assert.equal(count() - before, 1)
  for (const time of await Promise.all(times)) assert.ok(time >= at, `${time - at}`)
  mock.restoreAll()
})

test('what is removed is not due; the others of its moment are', async () => {
  const timers = createCalls()
  const at = performance.now() + 5
  const called: string[] = []
  const removed = () => void called.push('removed')
  timers.add(at, removed)
  const { promise, resolve } = Promise.withResolvers<number>()
  timers.add(at, () => called.push('kept'))
  timers.add(at + 10, resolve)
  timers.remove(at, removed)
  await promise
  assert.deepEqual(called, ['kept'])
  // A moment without items has no timer that would keep the process alive, and may be used again.
  const alone = () => void called.push('never')
  timers.add(at + 1_000_000, alone)
  timers.remove(at + 1_000_000, alone)
  timers.remove(at + 1_000_000, alone)
})

test('an item that was due is not one of a later moment of the same name', async () => {
  const timers = createCalls()
  const at = performance.now() + 1
  const first = Promise.withResolvers<number>()
  timers.add(at, first.resolve)
  await first.promise
  const second = Promise.withResolvers<number>()
  timers.add(at, second.resolve)
  timers.remove(at, first.resolve)
  await second.promise
})

test('a moment that has just passed is due soon, and Node does not warn of a negative time', async () => {
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  const { promise, resolve } = Promise.withResolvers<number>()
  createCalls().add(performance.now() - 10, resolve)
  await promise
  process.off('warning', note)
  assert.equal(warnings.includes('TimeoutNegativeWarning'), false)
})
