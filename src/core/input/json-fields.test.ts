import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxFieldErrors, Problem } from '../problems.ts'
import { type JsonFields, readJsonObject } from './json-fields.ts'

function errorsOf(value: unknown, read: (fields: JsonFields) => unknown): string[] {
  try {
    readJsonObject(value, read)
  } catch (error) {
    if (error instanceof Problem) return error.errors.map(({ message }) => message)
    throw error
  }
  return []
}

test('sent fields are read, and null counts as not sent', () => {
  const sent = {
    name: 'Casey',
    gone: null,
    isReady: false,
    count: 0,
    id: '7',
    when: '2026-11-14T10:00:00+10:00',
    kind: 'b',
    words: ['x'],
    list: [{ name: 'one' }, { name: 'two' }],
  }
  const read = readJsonObject(sent, fields => [
    fields.text('name'),
    fields.optionalText('gone'),
    fields.flag('isReady'),
    fields.optionalNumber('count'),
    fields.id('id'),
    fields.time('when'),
    fields.oneOf('kind', ['a', 'b']),
    fields.texts('words'),
    fields.list('list', item => item.text('name')),
    fields.optionalObject('missing', () => 1),
  ])
  const when = Date.parse('2026-11-14T00:00:00Z')
  assert.deepEqual(read, ['Casey', undefined, false, 0, 7, when, 'b', ['x'], ['one', 'two'], undefined])
})

test('all errors are reported at once, each with its path', () => {
  const sent = { a: 1, b: 'yes', deep: { list: [{}, 5], extra: 1 }, other: 1, constructor: 1 }
  const errors = errorsOf(sent, fields => {
    fields.text('a')
    fields.flag('b')
    fields.time('c')
    fields.object('deep', deep => deep.list('list', item => item.id('id')))
    fields.object('gone', () => 1)
  })
  assert.deepEqual(errors, [
    'a must be a string.',
    'b must be true or false.',
    'c must be sent.',
    'deep.list[0].id must be sent.',
    'deep.list[1] must be a JSON object.',
    'deep.extra is not a known field.',
    'gone must be sent.',
    'other is not a known field.',
    'constructor is not a known field.',
  ])
})

test('inherited property names do not count as sent fields', () => {
  assert.deepEqual(
    errorsOf({}, fields => fields.text('toString')),
    ['toString must be sent.'],
  )
  assert.deepEqual(
    errorsOf(JSON.parse('{"__proto__": {"name": "x"}}'), fields => fields.text('name')),
    ['name must be sent.', '__proto__ is not a known field.'],
  )
})

test('only objects are accepted', () => {
  for (const value of [null, 5, 'x', [1], undefined]) {
    assert.deepEqual(
      errorsOf(value, () => 1),
      ['It must be a JSON object.'],
    )
  }
})

test('a missing required list is reported', () => {
  const read = (fields: JsonFields) => fields.requiredList('list', item => item.text('name'))
  for (const sent of [{}, { list: null }]) assert.deepEqual(errorsOf(sent, read), ['list must be sent.'])
  assert.deepEqual(errorsOf({ list: 'x' }, read), ['list must be an array.'])
  assert.deepEqual(readJsonObject({ list: [] }, read), [])
})

test('with thousands of errors only the first are reported, and reading stops', () => {
  let looked = 0
  const errors = errorsOf({ list: Array(10_000).fill({}) }, fields =>
    fields.list('list', item => {
      looked++
      return item.text('name')
    }),
  )
  assert.equal(errors.length, maxFieldErrors + 1)
  assert.equal(errors[maxFieldErrors - 1], `list[${maxFieldErrors - 1}].name must be sent.`)
  assert.equal(errors.at(-1), `There are more errors: only the first ${maxFieldErrors} are listed.`)
  assert.equal(looked, maxFieldErrors + 1)
  const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key${index}`, 1]))
  assert.equal(errorsOf(unknown, () => 1).length, maxFieldErrors + 1)
  assert.equal(
    errorsOf({ list: Array(1_000).fill(5) }, each => each.list('list', () => 1)).length,
    maxFieldErrors + 1,
  )
})

test('the largest number of reported errors has no remark about more', () => {
  const errors = errorsOf({ list: Array(maxFieldErrors).fill({}) }, fields =>
    fields.list('list', item => item.text('name')),
  )
  assert.equal(errors.length, maxFieldErrors)
  assert.equal(errors.at(-1), `list[${maxFieldErrors - 1}].name must be sent.`)
})
