import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/harness/any-character.ts'
import { encodedState, Parameters } from './parameters.ts'

test('an empty parameter counts as omitted, and names of object properties are not special', () => {
  const parameters = new Parameters('a=1&b=&__proto__=2')
  assert.equal(parameters.get('a'), '1')
  assert.equal(parameters.get('b'), undefined)
  assert.equal(parameters.get('__proto__'), '2')
  assert.equal(parameters.get('constructor'), undefined)
})

test('repeated parameters are detected, even if one is empty', () => {
  const parameters = new Parameters('a=1&b=2&a=')
  assert.equal(parameters.repeated(), 'a')
  assert.ok(parameters.isRepeated('a') && !parameters.isRepeated('b'))
  assert.equal(new Parameters('a=1&b=2').repeated(), undefined)
})

test('a state is returned as sent', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), state => {
      const query = new URLSearchParams({ client_id: 'c', state: state.toWellFormed() }).toString()
      assert.equal(decodeURIComponent(encodedState(query) ?? ''), state.toWellFormed())
    }),
  )
})

test('a state is returned byte for byte, even if it is not UTF-8', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), bytes => {
      const sent = [...bytes].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
      const back = encodedState(`state=${sent}`) ?? ''
      assert.deepEqual(
        [...back.matchAll(/%(..)/g)].map(([, hex]) => Number.parseInt(hex as string, 16)),
        [...bytes],
      )
    }),
  )
})

test('unusual spellings of state are read', () => {
  const expected: [query: string, state: string | undefined][] = [
    ['', undefined],
    ['client_id=x', undefined],
    ['state', ''],
    ['state=', ''],
    ['a=b&state=x', 'x'],
    ['st%61te=x', 'x'],
    ['xstate=1&state=2', '2'],
    ['state=a=b', 'a%3Db'],
    ['state=a+b', 'a%20b'],
    ['state=100%', '100%25'],
    ['state=%zz', '%25zz'],
    ['state=\u00e9', '%E9'],
    ["state=<script>'", '%3Cscript%3E%27'],
  ]
  for (const [query, state] of expected) assert.equal(encodedState(query), state, query)
})

test('parameters are parsed like URLSearchParams', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '&',
      '=',
      '+',
      '%',
      '%0',
      '%00',
      '%26',
      '%3D',
      '%2B',
      '%C3%A4',
      '%C3',
      '%ff',
      '?',
      ' ',
      '#',
      ';',
    ),
    fc.constantFrom('a', 'b', 'code', 'state', 'ä', '€', '😀', '__proto__'),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
      const text = pieces.join('')
      const parameters = new Parameters(text)
      const expected = new URLSearchParams(text)
      for (const name of new Set(expected.keys())) {
        assert.equal(parameters.get(name), expected.get(name) || undefined, text)
        assert.equal(parameters.isRepeated(name), expected.getAll(name).length > 1, text)
      }
      const repeated = [...expected.keys()].some(name => expected.getAll(name).length > 1)
      assert.equal(parameters.repeated() !== undefined, repeated, text)
    }),
  )
})
