import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSemaphore } from './semaphore.ts'

const long = 60_000

test('at most so many run at once; the others follow in order of arrival', async () => {
  const semaphore = createSemaphore(2)
  assert.deepEqual([await semaphore.take(long), await semaphore.take(long)], [true, true])
  const order: number[] = []
  const waiting = [3, 4, 5].map(async number => {
    assert.equal(await semaphore.take(long), true)
    order.push(number)
  })
  assert.deepEqual(order, [])
  semaphore.release()
  await waiting[0]
  assert.deepEqual(order, [3])
  semaphore.release()
  semaphore.release()
  await Promise.all(waiting)
  assert.deepEqual(order, [3, 4, 5])
})

test('a waiter that times out gets no turn and takes none from the next', async () => {
  const semaphore = createSemaphore(1)
  await semaphore.take(long)
  assert.equal(await semaphore.take(1), false)
  semaphore.release()
  assert.equal(await semaphore.take(1), true)
  assert.equal(await semaphore.take(1), false)
})
