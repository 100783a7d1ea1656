import assert from 'node:assert/strict'
import test from 'node:test'
import { createPace } from './pace.ts'

test('work rests for as long as it took, and not before a slice is over', () => {
  let now = 100
  const pace = createPace(() => now)
  now += 1
  assert.equal(pace.isTired(), false)
  now += 4
  assert.equal(pace.isTired(), true)
  assert.equal(pace.restMs(), 5)
  now += 5
  assert.equal(pace.isTired(), false, 'the rest does not count as work')
  now += 3
  assert.equal(pace.restMs(), 3)
})
