import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBufferPool } from './folder.ts'

test('a buffer is lent to one borrower at a time, and reused', () => {
  const buffers = createBufferPool({ max: 2, bytes: 100 })
  const first = buffers.acquire(100)
  const second = buffers.acquire(7)
  assert.ok(first && second)
  assert.equal(second.bytes.length, 7)
  assert.notEqual(first.bytes.buffer, second.bytes.buffer)
  assert.equal(buffers.acquire(1), undefined, 'all are lent')
  first.release()
  const third = buffers.acquire(50)
  assert.equal(third?.bytes.buffer, first.bytes.buffer)
})

test('a buffer returned twice is lent once', () => {
  const buffers = createBufferPool({ max: 1, bytes: 100 })
  const first = buffers.acquire(1)
  first?.release()
  first?.release()
  assert.ok(buffers.acquire(1))
  assert.equal(buffers.acquire(1), undefined)
})

test('a request that is too large gets no buffer and takes none', () => {
  const buffers = createBufferPool({ max: 1, bytes: 100 })
  assert.equal(buffers.acquire(101), undefined)
  assert.ok(buffers.acquire(100))
})
