import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movableClock } from '../../../../test/harness/clock.ts'
import { createBackoff } from './backoff.ts'

const bounds = { firstMs: 10, longestMs: 35, remembered: 2 }

test('a pause doubles with each failure, up to the longest, and is forgotten after a success', () => {
  const clock = movableClock(0)
  const pauses = createBackoff(bounds, clock)
  assert.equal(pauses.isOver('a'), true)
  for (const ms of [10, 20, 35, 35]) {
    pauses.begin('a')
    clock.advance(ms - 1)
    assert.equal(pauses.isOver('a'), false)
    clock.advance(1)
    assert.equal(pauses.isOver('a'), true)
  }
  pauses.begin('a')
  assert.equal(pauses.isOver('b'), true)
  pauses.forget('a')
  assert.equal(pauses.isOver('a'), true)
  pauses.begin('a')
  clock.advance(10)
  assert.equal(pauses.isOver('a'), true, 'the next one is short again')
})

test('with too many names, the one that failed longest ago is forgotten', () => {
  const pauses = createBackoff(bounds, movableClock(0))
  for (const name of ['a', 'b', 'a', 'c']) pauses.begin(name)
  assert.deepEqual(['a', 'b', 'c'].map(pauses.isOver), [false, true, false])
})
