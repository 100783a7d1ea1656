import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withServices } from '../../../test/harness/database.ts'
import { createLeaseStore } from './lease-store.ts'

withServices('a lease', services => {
  const leases = () => createLeaseStore(services().database)

  test('has one holder until it expires, then the first caller that asks', async () => {
    assert.equal(await leases().take('a', 'one', 0, 100), true)
    assert.equal(await leases().take('a', 'two', 99, 199), false)
    assert.equal(await leases().take('b', 'two', 99, 199), true, 'another lease is free')
    assert.equal(await leases().take('a', 'two', 100, 200), true)
    assert.equal(await leases().take('a', 'one', 100, 200), false)
  })

  test('continues when it is renewed, and cannot be renewed by a caller that has lost it', async () => {
    await leases().take('c', 'one', 0, 100)
    assert.equal(await leases().renew('c', 'one', 300), true)
    assert.equal(await leases().take('c', 'two', 200, 300), false)
    assert.equal(await leases().take('c', 'two', 300, 400), true)
    assert.equal(await leases().renew('c', 'one', 500), false)
    assert.equal(await leases().take('c', 'three', 399, 499), false, 'it is still the second one’s')
  })

  test('is free as soon as its holder releases it, and not when another caller does', async () => {
    await leases().take('d', 'one', 0, 100)
    await leases().release('d', 'two')
    assert.equal(await leases().take('d', 'two', 50, 150), false)
    await leases().release('d', 'one')
    assert.equal(await leases().take('d', 'two', 50, 150), true)
  })

  test('holds even if the clock of its holder is a little ahead', async () => {
    await leases().take('g', 'ahead', 90, 190)
    assert.equal(await leases().take('g', 'two', 0, 100), false)
  })

  test('is over if the clock that took it was far ahead: its holder may have died', async () => {
    await leases().take('f', 'ahead', 86_400_000, 86_400_100)
    assert.equal(await leases().take('f', 'two', 0, 100), true)
    assert.equal(await leases().renew('f', 'ahead', 86_400_200), false)
    assert.equal(await leases().take('f', 'three', 0, 100), false, 'one that lasts as long as any is honest')
  })

  test('goes to one of many callers that want it at the same moment', async () => {
    await leases().take('e', 'the dead', 0, 100)
    const taken = await Promise.all(
      Array.from({ length: 10 }, (_, index) => leases().take('e', `process ${index}`, 100, 200)),
    )
    assert.equal(taken.filter(Boolean).length, 1)
  })
})
