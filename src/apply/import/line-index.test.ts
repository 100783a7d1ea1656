import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LineIndex } from './line-index.ts'

test('lines are ordered by date, equal ones as in the file, and those without a date first', () => {
  const index = new LineIndex()
  const dates = [30, 10, undefined, 20, 10, undefined]
  dates.forEach((at, number) => {
    const place = at === undefined ? undefined : { advertiserId: 7, at }
    index.add({ line: number * 2 + 1, offset: number, length: 1 }, place)
  })
  assert.deepEqual(
    [...index.inDateOrder()].map(place => index.at(place).line),
    [5, 11, 3, 9, 7, 1],
  )
})

test('a line is found by its number, however many there are', () => {
  const index = new LineIndex()
  const count = 5_000
  for (let number = 0; number < count; number += 1) {
    index.add(
      { line: number * 3 + 1, offset: number * 100, length: 50 },
      { advertiserId: number, at: number },
    )
  }
  assert.equal(index.count, count)
  for (const number of [0, 1, 1_023, 1_024, 2_500, count - 1]) {
    assert.deepEqual(index.ofLine(number * 3 + 1), {
      line: number * 3 + 1,
      offset: number * 100,
      length: 50,
      advertiserId: number,
      at: number,
    })
  }
})
