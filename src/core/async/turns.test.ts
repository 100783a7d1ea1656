import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurns } from './turns.ts'

const long = 60_000

test('at most so many run at once; the others follow in order of arrival', async () => {
  const turns = createTurns(2)
  assert.deepEqual([await turns.take(long), await turns.take(long)], [true, true])
  const order: number[] = []
  const waiting = [3, 4, 5].map(async number => {
    assert.equal(await turns.take(long), true)
    order.push(number)
  })
  assert.deepEqual(order, [])
  turns.giveBack()
  await waiting[0]
  assert.deepEqual(order, [3])
  turns.giveBack()
  turns.giveBack()
  await Promise.all(waiting)
  assert.deepEqual(order, [3, 4, 5])
})

test('a waiter that times out gets no turn and takes none from the next', async () => {
  const turns = createTurns(1)
  await turns.take(long)
  assert.equal(await turns.take(1), false)
  turns.giveBack()
  assert.equal(await turns.take(1), true)
  assert.equal(await turns.take(1), false)
})
