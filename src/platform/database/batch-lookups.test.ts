import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { batchLookups } from './batch-lookups.ts'

/** Answers or fails when the test says so. */
function slowDatabase() {
  const calls: { keys: number[]; answer(): void; fail(error: Error): void }[] = []
  const findAll = (keys: number[]) =>
    new Promise<number[]>((resolve, reject) => {
      calls.push({ keys, answer: () => resolve(keys.map(key => key * 10)), fail: reject })
    })
  return { calls, findAll }
}

test('look-ups of one turn share a call, and each gets its own result', async () => {
  const { calls, findAll } = slowDatabase()
  const find = batchLookups(findAll)
  const results = Promise.all([find(1), find(2), find(3)])
  await nextTurn()
  assert.deepEqual(
    calls.map(({ keys }) => keys),
    [[1, 2, 3]],
  )
  calls[0]?.answer()
  assert.deepEqual(await results, [10, 20, 30])
})

test('look-ups that arrive during a call share the next one, never that one', async () => {
  const { calls, findAll } = slowDatabase()
  const find = batchLookups(findAll, { maxWaitMs: 60_000 })
  const first = find(1)
  await nextTurn()
  const later = Promise.all([find(2), find(3)])
  await nextTurn()
  assert.equal(calls.length, 1)
  calls[0]?.answer()
  assert.equal(await first, 10)
  await nextTurn()
  assert.deepEqual(calls[1]?.keys, [2, 3])
  calls[1]?.answer()
  assert.deepEqual(await later, [20, 30])
})

test('a call takes `max` look-ups, and the others follow', async () => {
  const find = batchLookups(async (keys: number[]) => [...keys.keys()], { max: 2 })
  assert.deepEqual(await Promise.all([1, 2, 3, 4, 5].map(find)), [0, 1, 0, 1, 0])
})

test('a call that takes too long does not hold up the next', async () => {
  const { calls, findAll } = slowDatabase()
  const find = batchLookups(findAll, { maxWaitMs: 1 })
  const stuck = find(1)
  await nextTurn()
  const next = find(2)
  while (calls.length < 2) await nextTurn()
  calls[1]?.answer()
  assert.equal(await next, 20)
  calls[0]?.answer()
  assert.equal(await stuck, 10)
  // The late call has not started a second one of its own.
  const last = find(3)
  while (calls.length < 3) await nextTurn()
  assert.deepEqual(calls[2]?.keys, [3])
  calls[2]?.answer()
  assert.equal(await last, 30)
})

test('a failure rejects the look-ups that shared the call, and no others', async () => {
  const { calls, findAll } = slowDatabase()
  const find = batchLookups(findAll)
  const failed = Promise.allSettled([find(1), find(2)])
  await nextTurn()
  const after = find(3)
  calls[0]?.fail(new Error('lost'))
  assert.deepEqual(
    (await failed).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  while (calls.length < 2) await nextTurn()
  calls[1]?.answer()
  assert.equal(await after, 30)
})

test('look-ups with the same name never share a call, and none is forgotten', async () => {
  const { calls, findAll } = slowDatabase()
  const find = batchLookups(findAll, { max: 3, maxWaitMs: 60_000, apart: key => String(key % 10) })
  const results = Promise.all([1, 11, 2, 21, 3, 4, 12].map(find))
  for (const [index, keys] of [[1, 2, 3], [11, 4, 12], [21]].entries()) {
    while (calls.length <= index) await nextTurn()
    assert.deepEqual(calls[index]?.keys, keys)
    calls[index]?.answer()
  }
  assert.deepEqual(await results, [10, 110, 20, 210, 30, 40, 120])
})
