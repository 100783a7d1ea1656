import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withServices } from '../../../../test/harness/database.ts'
import { createRateCountStore } from './rate-count-store.ts'

const count = { name: 'v1', key: 'a', window: 7, hits: 1, expiresAt: 1000 }

withServices('counts of all nodes', services => {
  const store = () => createRateCountStore(services().database)

  test('add up by limit, key and window, and are returned in the order of the request', async () => {
    const counts = [
      { ...count, key: 'b', hits: 5 },
      count,
      { ...count, window: 8, hits: 3 },
      { ...count, name: 'v2', hits: 4 },
    ]
    assert.deepEqual(await store().add(counts), [5, 1, 3, 4])
    assert.deepEqual(await store().add(counts.toReversed()), [8, 6, 2, 10])
    assert.deepEqual(await store().add([{ ...count, hits: 0 }]), [2])
  })

  test('of one key in one call are one count', async () => {
    const twice = [
      { ...count, key: 'twice' },
      { ...count, key: 'twice', hits: 2 },
    ]
    assert.deepEqual(await store().add(twice), [3, 3])
  })

  test('lose nothing and cause no deadlock when many nodes add at once, in any order', async () => {
    const keys = Array.from({ length: 20 }, (_, index) => ({ ...count, key: `many ${index}` }))
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store().add(index % 2 === 0 ? keys : keys.toReversed())),
    )
    const ofFirst = answers.map((totals, index) => totals.at(index % 2 === 0 ? 0 : -1))
    assert.deepEqual(
      ofFirst.toSorted((a, b) => Number(a) - Number(b)),
      ofFirst.map((_, index) => index + 1),
    )
  })
})
