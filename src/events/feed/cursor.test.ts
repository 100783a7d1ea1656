import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readCursor, writeCursor } from './cursor.ts'

test('a cursor is read as it was written, in its own stream only', () => {
  fc.assert(
    fc.property(
      fc.nat(2 ** 31 - 1),
      fc.nat(8_640_000_000_000_000),
      fc.nat(4e12),
      (advertiserId, number, restoredAt) => {
        const text = writeCursor({ advertiserId }, { number, restoredAt })
        assert.match(text, /^[\w-]+$/)
        assert.deepEqual(readCursor({ advertiserId }, text), { number, restoredAt, text })
        assert.equal(readCursor({ advertiserId: advertiserId + 1 }, text), undefined)
        assert.equal(readCursor({ clientId: `client-${advertiserId}` }, text), undefined)
      },
    ),
  )
})

test('anything else is no cursor', () => {
  fc.assert(fc.property(fc.string(), text => assert.equal(readCursor({ advertiserId: 1 }, text), undefined)))
  const text = writeCursor({ advertiserId: 1 }, { number: 1, restoredAt: 0 })
  for (const changed of [`${text}=`, `${text}A`, text.slice(1), `B${text.slice(1)}`, `${text} `])
    assert.equal(readCursor({ advertiserId: 1 }, changed), undefined)
})
