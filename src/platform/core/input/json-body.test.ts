import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxFieldErrors, Problem } from '../problems.ts'
import { closedObject, numericId, optional, readJson, time } from './json-body.ts'
import { type TSchema, Type } from './json-schema.ts'

function errorsOf(schema: TSchema, value: unknown): string[] {
  try {
    readJson(schema, value)
  } catch (error) {
    if (error instanceof Problem) return error.errors.map(({ message }) => message)
    throw error
  }
  return []
}

const Named = closedObject({ name: Type.String() })
const List = closedObject({ list: Type.Array(Named) })

test('sent fields are read, and null counts as not sent', () => {
  const schema = closedObject({
    name: Type.String(),
    gone: optional(Type.String()),
    isReady: Type.Boolean(),
    count: optional(Type.Integer()),
    id: numericId(''),
    when: time(),
    kind: Type.Enum(['a', 'b']),
    words: Type.Array(Type.String()),
    list: optional(Type.Array(Named)),
    missing: optional(Named),
  })
  const sent = {
    name: 'Casey',
    isReady: false,
    count: 0,
    kind: 'b',
    words: ['x'],
    list: [{ name: 'one' }, { name: 'two' }],
  }
  const read = readJson(schema, { ...sent, gone: null, id: '7', when: '2026-11-14T10:00:00+10:00' })
  assert.deepEqual(read, { ...sent, id: 7, when: Date.parse('2026-11-14T00:00:00Z') })
})

test('all errors are reported at once, each with its path', () => {
  const schema = closedObject({
    a: Type.String(),
    b: Type.Boolean(),
    c: time(),
    deep: closedObject({ list: Type.Array(closedObject({ id: numericId('') })) }),
    gone: Named,
    words: Type.Array(Type.String()),
  })
  const sent = { a: 1, b: 'yes', deep: { list: [{}, 5], extra: 1 }, words: [1], other: 1, constructor: 1 }
  assert.deepEqual(errorsOf(schema, sent), [
    'a must be a string.',
    'b must be true or false.',
    'c must be sent.',
    'deep.list[0].id must be sent.',
    'deep.list[1] must be a JSON object.',
    'deep.extra is not a known field.',
    'gone must be sent.',
    'words must be an array of strings.',
    'other is not a known field.',
    'constructor is not a known field.',
  ])
})

test('inherited property names do not count as sent fields', () => {
  assert.deepEqual(errorsOf(closedObject({ toString: Type.String() }), {}), ['toString must be sent.'])
  const sent = JSON.parse('{"__proto__": {"name": "x"}}')
  assert.deepEqual(errorsOf(Named, sent), ['name must be sent.', '__proto__ is not a known field.'])
  assert.deepEqual(errorsOf(Named, Object.create({ name: 'x' })), ['name must be sent.'])
})

test('only objects are accepted', () => {
  for (const value of [null, 5, 'x', [1], undefined]) {
    assert.deepEqual(errorsOf(Named, value), ['It must be a JSON object.'])
  }
})

test('a missing list is reported, and one that is too short or too long', () => {
  for (const sent of [{}, { list: null }]) assert.deepEqual(errorsOf(List, sent), ['list must be sent.'])
  assert.deepEqual(errorsOf(List, { list: 'x' }), ['list must be an array.'])
  assert.deepEqual(readJson(List, { list: [] }), { list: [] })
  const bounded = closedObject({ list: Type.Array(Named, { minItems: 1, maxItems: 1 }) })
  assert.deepEqual(errorsOf(bounded, {}), ['list must contain at least 1.'])
  assert.deepEqual(errorsOf(bounded, { list: [5, 5] }), ['list must contain 1 or fewer; there are 2.'])
})

test('rules see the fields that are valid, and which ones were sent', () => {
  const seen: unknown[] = []
  const schema = closedObject(
    { a: optional(Type.String()), b: optional(Type.String()) },
    { rules: (read, _refuse, isSent) => seen.push(read, isSent('a'), isSent('b')) },
  )
  assert.deepEqual(errorsOf(schema, { a: 5 }), ['a must be a string.'])
  assert.deepEqual(seen, [{}, true, false])
})

test('with thousands of errors only the first are reported, and reading stops', () => {
  const errors = errorsOf(List, { list: Array(10_000).fill({}) })
  assert.equal(errors.length, maxFieldErrors + 1)
  assert.equal(errors[maxFieldErrors - 1], `list[${maxFieldErrors - 1}].name must be sent.`)
  assert.equal(errors.at(-1), `There are more errors: only the first ${maxFieldErrors} are listed.`)
  const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key${index}`, 1]))
  assert.equal(errorsOf(closedObject({}), unknown).length, maxFieldErrors + 1)
})

test('the largest number of reported errors has no remark about more', () => {
  const errors = errorsOf(List, { list: Array(maxFieldErrors).fill({}) })
  assert.equal(errors.length, maxFieldErrors)
  assert.equal(errors.at(-1), `list[${maxFieldErrors - 1}].name must be sent.`)
})
