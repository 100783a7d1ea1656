import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertMeanings,
  builtInLists,
  listIdLength,
  maxFormerNames,
  maxListEntries,
  maxListLevels,
  readList,
} from './own-lists.ts'
import { nameLength } from './text-lengths.ts'

const berlin = { id: 'de-be', name: 'Berlin' }
const chain = Array.from({ length: maxListLevels + 1 }, (_, index) => ({
  id: `a${index}`,
  name: `A ${index}`,
  ...(index > 0 && { in: `a${index - 1}` }),
}))
const many = Array.from({ length: maxListEntries + 1 }, (_, index) => ({
  id: `a${index}`,
  name: `A ${index}`,
}))
const read = (...entries: unknown[]) => readList('locations', JSON.stringify(entries))

test('reads entries with their levels and former names', () => {
  const [berlinEntry, mitte] = read(berlin, {
    id: 'de-be-mitte',
    name: 'Berlin-Mitte',
    in: 'de-be',
    was: ['Mitte'],
  })
  assert.deepEqual(berlinEntry, { id: 'de-be', description: 'Berlin', level: 0, was: [] })
  assert.deepEqual(mitte, { id: 'de-be-mitte', description: 'Berlin-Mitte', level: 1, was: ['Mitte'] })
  assert.equal(read(...many.slice(1)).length, maxListEntries)
  assert.equal(read(...chain.slice(1).map(({ in: _, ...entry }) => entry)).length, maxListLevels)
  assert.equal(read({ id: 'x'.repeat(listIdLength), name: 'ن\u200Cم' })[0]?.description, 'ن\u200Cم')
})

const refused: [why: string, entries: unknown, message: RegExp][] = [
  ['an object', berlin, /^must be a list in JSON/],
  ['no entries', [], /^must have 1 to 2000 entries; it has 0$/],
  ['too many entries', many, /it has 2001$/],
  ['a text as an entry', [berlin, 'Potsdam'], /^entry 2: must be an object/],
  ['null', [null], /^entry 1: must be an object/],
  ['an unknown key', [{ ...berlin, label: 'x' }], /^entry 1 \(ID "de-be"\): has "label"; only/],
  ['a number as an ID', [{ id: 7, name: 'x' }], /^entry 1 \(ID 7\): "id" must have/],
  ['no ID', [{ name: 'x' }], /^entry 1: "id" must have/],
  ['a long ID', [{ id: 'x'.repeat(listIdLength + 1), name: 'x' }], /"id" must have/],
  ['an ID with a space', [{ id: 'de be', name: 'x' }], /^entry 1 \(ID "de be"\): "id" must have/],
  ['a key of every object as an ID', [{ id: '__proto__', name: 'x' }], /"id" must have/],
  [
    'an ID twice',
    [berlin, { id: 'de-be', name: 'Potsdam' }],
    /^entry 2 \(ID "de-be"\): this ID is used twice$/,
  ],
  [
    'a name twice',
    [berlin, { id: 'de-b', name: 'Berlin' }],
    /^entry 2 \(ID "de-b"\): its name is that of entry 1$/,
  ],
  ...[
    '',
    ' Berlin',
    'Ber\nlin',
    'Ber\u0000lin',
    'Ber\u2028lin',
    '\u202Enilreb',
    '\uD800',
    'x'.repeat(nameLength + 1),
    7,
  ].map((name, index): [string, unknown, RegExp] => [
    `a wrong name (${index})`,
    [{ id: 'a', name }],
    /"name" must be one line/,
  ]),
  ['former names that are no list', [{ ...berlin, was: 'Bln' }], /"was" must be a list/],
  [
    'too many former names',
    [{ ...berlin, was: Array(maxFormerNames + 1).fill('x') }],
    /"was" must be a list/,
  ],
  [
    'an unknown entry above',
    [{ ...berlin, in: 'de' }],
    /^entry 1 \(ID "de-be"\): "in" must be .* "de" is none$/,
  ],
  ['an entry in itself', [{ ...berlin, in: 'de-be' }], /"in" must be/],
  [
    'an entry above that comes later',
    [
      { ...berlin, in: 'de' },
      { id: 'de', name: 'Germany' },
    ],
    /^entry 1 .*"in" must/,
  ],
  ['too many levels', chain, /^entry 5 \(ID "a4"\): is on level 5; a list has at most 4$/],
  ['digits of their own', [{ id: '30', name: 'Berlin' }], /^entry 1 \(ID "30"\): IDs of digits alone belong/],
  [
    'a built-in ID for another place',
    [{ id: '1017', name: 'Berlin' }],
    /"1017".* means "Newcastle, Maitland and Hunter NSW" and must not be reused/,
  ],
]
for (const [why, entries, message] of refused)
  test(`refuses ${why}, in one line`, () => {
    assert.throws(
      () => readList('locations', JSON.stringify(entries)),
      (error: Error) => {
        assert.match(error.message, message)
        assert.doesNotMatch(error.message, /[\p{Cc}\u2028\u202E]/u)
        return true
      },
    )
  })

test('refuses text that is not JSON, and does not show it', () => {
  for (const text of ['', '[', 'secret', '[{"id": "a", "name": "A",}]'])
    assert.throws(() => readList('locations', text), { message: 'is not valid JSON' })
})

test('a message shows no text that reorders or breaks it', () => {
  const hostile = { id: `\u202E\u2028\u0007${'x'.repeat(1000)}`, name: 'x' }
  assert.throws(
    () => read(hostile),
    (error: Error) => /^[\x20-\x7E]{1,300}$/.test(error.message),
  )
})

test('the built-in lists can be written as own ones, with new names', () => {
  for (const [name, list] of Object.entries(builtInLists) as [
    keyof typeof builtInLists,
    typeof builtInLists.locations,
  ][]) {
    const own = list.map(({ id, description }) => ({ id, name: `${description}.`, was: [description] }))
    assert.equal(readList(name, JSON.stringify(own)).length, list.length)
  }
})

test('an ID keeps the meaning of its first name, also after several changes', () => {
  const first = new Map([['de-be', 'Berlin']])
  assertMeanings(read(berlin, { id: 'de-bb', name: 'Brandenburg' }), first)
  assertMeanings(read({ id: 'de-be', name: 'Berlin (city)', was: ['Berlin'] }), first)
  assert.throws(() => assertMeanings(read({ id: 'de-be', name: 'Bern', was: ['Basel'] }), first), {
    message:
      'entry 1 (ID "de-be"): this ID means "Berlin" and must not be reused. Give the entry another ID; if only its name changed, add "was": ["Berlin"]',
  })
})
