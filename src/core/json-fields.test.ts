import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type JsonFields, readJsonObject } from './json-fields.ts'
import { Problem } from './problems.ts'

function errorsOf(value: unknown, read: (fields: JsonFields) => unknown): string[] {
  try {
    readJsonObject(value, read)
  } catch (error) {
    if (error instanceof Problem) return error.errors.map(({ message }) => message)
    throw error
  }
  return []
}

test('what is there is read, and null counts as not sent', () => {
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

test('everything that is wrong is told at once, with its path', () => {
  const sent = { a: 1, b: 'yes', deep: { list: [{}, 5], extra: 1 }, other: 1, constructor: 1 }
  const errors = errorsOf(sent, fields => {
    fields.text('a')
    fields.flag('b')
    fields.time('c')
    fields.object('deep', deep => deep.list('list', item => item.id('id')))
    fields.object('gone', () => 1)
  })
  assert.deepEqual(errors, [
    'a must be a text.',
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

test('names that every object has are not taken for fields that were sent', () => {
  assert.deepEqual(
    errorsOf({}, fields => fields.text('toString')),
    ['toString must be sent.'],
  )
  assert.deepEqual(
    errorsOf(JSON.parse('{"__proto__": {"name": "x"}}'), fields => fields.text('name')),
    ['name must be sent.', '__proto__ is not a known field.'],
  )
})

test('only an object is read', () => {
  for (const value of [null, 5, 'x', [1], undefined]) {
    assert.deepEqual(
      errorsOf(value, () => 1),
      ['It must be a JSON object.'],
    )
  }
})
