import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FormFields, hasMoreFields } from './form.ts'

test('fields by name, the first of several, and all of them', () => {
  const fields = new FormFields('a=1&b=%C3%A9+x&a=2&__proto__=3')
  assert.equal(fields.get('a'), '1')
  assert.deepEqual(fields.all('a'), ['1', '2'])
  assert.equal(fields.get('b'), 'é x')
  assert.equal(fields.get('__proto__'), '3')
  assert.equal(fields.get('constructor'), undefined)
  assert.deepEqual(fields.names(), ['a', 'b', '__proto__'])
})

test('fields are counted as they were sent, up to a bound', () => {
  for (const [text, fields] of [
    ['', 0],
    ['a', 1],
    ['a=1&b=2', 2],
    ['&&', 3],
    ['a=%26', 1],
  ] as const) {
    assert.equal(hasMoreFields(Buffer.from(text), fields), false, text)
    if (fields > 0) assert.equal(hasMoreFields(Buffer.from(text), fields - 1), true, text)
  }
})

test('repeated fields are found', () => {
  assert.equal(new FormFields('a=1&b=2&c=3&b=').repeated(), 'b')
  assert.equal(new FormFields('a=1&b=2').repeated(), undefined)
})

test('NUL is rejected, in names and in values: no database accepts it', () => {
  for (const text of ['a=%00', 'a%00=1', 'a=1&b=x%00y']) {
    assert.throws(() => new FormFields(text).get('a'), { code: 'bad-request' })
  }
})
