import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLentBuffers } from './lent-buffers.ts'

test('a buffer is lent to one borrower at a time, and reused', () => {
  const buffers = createLentBuffers({ most: 2, bytes: 100 })
  const first = buffers.lend(100)
  const second = buffers.lend(7)
  assert.ok(first && second)
  assert.equal(second.bytes.length, 7)
  assert.notEqual(first.bytes.buffer, second.bytes.buffer)
  assert.equal(buffers.lend(1), undefined, 'all are lent')
  first.giveBack()
  const third = buffers.lend(50)
  assert.equal(third?.bytes.buffer, first.bytes.buffer)
})

test('a buffer returned twice is lent once', () => {
  const buffers = createLentBuffers({ most: 1, bytes: 100 })
  const first = buffers.lend(1)
  first?.giveBack()
  first?.giveBack()
  assert.ok(buffers.lend(1))
  assert.equal(buffers.lend(1), undefined)
})

test('a request that is too large gets no buffer and takes none', () => {
  const buffers = createLentBuffers({ most: 1, bytes: 100 })
  assert.equal(buffers.lend(101), undefined)
  assert.ok(buffers.lend(100))
})
