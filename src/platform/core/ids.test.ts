import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/harness/any-character.ts'
import { times } from '../../../test/harness/effort.ts'
import { isLoopbackHost } from './addresses/loopback.ts'
import { isAcceptableRequestId, newUuid, parseNumericId, randomWord } from './ids.ts'
import { secretPrefixes } from './secrets.ts'

test('every ID below 2^53 is parsed exactly', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), id => {
      assert.equal(parseNumericId(String(id)), id)
    }),
    { numRuns: times(100, 500) },
  )
})

for (const text of [
  '',
  '0',
  '-1',
  '+1',
  '01',
  '1.0',
  '1e3',
  ' 1',
  '1\n',
  '0x1',
  '１',
  'abc',
  '9007199254740992',
]) {
  test(`not an ID: ${JSON.stringify(text)}`, () => assert.equal(parseNumericId(text), undefined))
}

test('only plain numbers are IDs', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), text => {
      const isPlain = /^[1-9][0-9]*$/.test(text) && BigInt(text) < 2n ** 53n
      assert.equal(parseNumericId(text) !== undefined, isPlain)
    }),
    { numRuns: times(100, 500) },
  )
})

test('our own request IDs are acceptable and unique', () => {
  const made = Array.from({ length: 1000 }, newUuid)
  assert.ok(made.every(isAcceptableRequestId))
  assert.equal(new Set(made).size, made.length)
})

test("a caller's request ID is accepted only in the form of the contract", () => {
  for (const id of ['a', 'A-z_0.9', 'x'.repeat(64)]) assert.ok(isAcceptableRequestId(id), id)
  for (const id of ['', 'x'.repeat(65), 'a b', 'a\n', 'é', 'a/b', 'a:b', '{}']) {
    assert.ok(!isAcceptableRequestId(id), JSON.stringify(id))
  }
})

test("a caller's request ID is not accepted if it looks like a secret, because the log contains it", () => {
  for (const prefix of ['sws_', ...Object.values(secretPrefixes)]) {
    for (const id of [`${prefix}abcdefgh`, prefix, prefix.toUpperCase()])
      assert.ok(!isAcceptableRequestId(id), id)
    assert.ok(isAcceptableRequestId(`my-${prefix}abcdefgh`))
  }
})

test('random words have their length and use every letter and digit', () => {
  const words = Array.from({ length: 2000 }, () => randomWord(8))
  assert.ok(words.every(word => /^[A-Za-z0-9]{8}$/.test(word)))
  assert.equal(new Set(words.join('')).size, 62)
})

test('loopback hosts are recognised under each of their names', () => {
  for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '127.255.1.2', '::1', '[::1]']) {
    assert.ok(isLoopbackHost(host), host)
  }
  for (const host of [
    '',
    '0.0.0.0',
    '::',
    '128.0.0.1',
    '127.0.0.1.example.com',
    'localhost.example.com',
    '1270.0.1',
  ]) {
    assert.ok(!isLoopbackHost(host), host)
  }
})
