import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { createSharedTimers } from './shared-timers.ts'

/** Counts the timers that are started, and lets them run. */
function countTimers(): () => number {
  const { mock: started } = mock.method(globalThis, 'setTimeout')
  return () => started.callCount()
}

test('calls of one moment share a timer, and none comes early', async () => {
  const count = countTimers()
  const callAt = createSharedTimers()
  const at = Math.ceil(performance.now()) + 20
  const before = count()
  const times = Array.from({ length: 50 }, () => {
    const { promise, resolve } = Promise.withResolvers<number>()
    callAt(at - 0.5, () => resolve(performance.now()))
    return promise
  })
  assert.equal(count() - before, 1)
  for (const time of await Promise.all(times)) assert.ok(time >= at, `${time - at}`)
  mock.restoreAll()
})

test('what is cancelled is not called; the others of its moment are', async () => {
  const callAt = createSharedTimers()
  const at = performance.now() + 5
  const called: string[] = []
  const cancel = callAt(at, () => called.push('cancelled'))
  const { promise, resolve } = Promise.withResolvers<void>()
  callAt(at, () => called.push('kept'))
  callAt(at + 10, resolve)
  cancel()
  await promise
  assert.deepEqual(called, ['kept'])
  // A moment without calls has no timer that would keep the process alive, and may be used again.
  const alone = callAt(at + 1_000_000, () => called.push('never'))
  alone()
  alone()
})

test('a moment that has just passed is called soon, and Node does not warn of a negative time', async () => {
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  await new Promise<void>(resolve => void createSharedTimers()(performance.now() - 10, resolve))
  process.off('warning', note)
  assert.equal(warnings.includes('TimeoutNegativeWarning'), false)
})
