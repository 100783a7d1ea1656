import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../test/harness/any-character.ts'
import { times } from '../../test/harness/effort.ts'
import { idBoundsOf, nextPageSearch, readListQuery } from './list-query.ts'

const maxLimit = 1000
const read = (search: string) => readListQuery(search, maxLimit)

/** Each filter as it may be sent, with what must be read from it; undefined is not sent or sent empty. */
const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 19 })
const date = fc.integer({ min: 0, max: 4_000_000_000 }).map(seconds => ({
  text: new Date(seconds * 1000 + 36_000_000).toISOString().slice(0, 19),
  at: seconds * 1000,
}))
const letterCase = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map(upper => [...text].map((letter, index) => (upper[index] ? letter.toUpperCase() : letter)).join(''))

const filters = fc.record(
  {
    afterid: digits,
    beforeid: digits,
    afterdate: date,
    beforedate: date,
    include: letterCase('primaryjobseekinginfo'),
    limit: fc.integer({ min: 1, max: maxLimit }),
  },
  { requiredKeys: [] },
)
const noise = fc.array(
  fc.tuple(fc.constantFrom('offset', 'page', 'after_id', 'ids', 'x'), fc.string({ maxLength: 5 })),
  { maxLength: 3 },
)

type Filters = typeof filters extends fc.Arbitrary<infer T> ? T : never

function pairsOf(sent: Filters): [string, string][] {
  return Object.entries(sent).map(([name, value]) => [
    name,
    typeof value === 'object' ? value.text : String(value),
  ])
}

test('every filter is read, in any order and letter case, and nothing else is', () => {
  fc.assert(
    fc.property(filters, noise, fc.func(fc.integer()), fc.boolean(), (sent, unknown, shuffle, isUpper) => {
      const pairs = pairsOf(sent).map(([name, value]): [string, string] => [
        isUpper ? name.toUpperCase() : name,
        value,
      ])
      const all = [...pairs, ...unknown].sort((a, b) => shuffle(a) - shuffle(b))
      assert.deepEqual(read(new URLSearchParams(all).toString()), {
        ...(sent.afterid === undefined ? {} : { afterId: sent.afterid }),
        ...(sent.beforeid === undefined ? {} : { beforeId: sent.beforeid }),
        ...(sent.afterdate === undefined ? {} : { afterDate: sent.afterdate.at }),
        ...(sent.beforedate === undefined ? {} : { beforeDate: sent.beforedate.at }),
        includePrimaryInfo: sent.include !== undefined,
        ...(sent.limit === undefined ? {} : { limit: sent.limit }),
      })
    }),
    { numRuns: times(100, 500) },
  )
})

test('the next page has the same filters and limit, begins after the last ID, and can be read', () => {
  fc.assert(
    fc.property(
      filters,
      noise,
      fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      (sent, unknown, lastId) => {
        const search = new URLSearchParams([...pairsOf(sent), ...unknown]).toString()
        const next = nextPageSearch(search, lastId)
        assert.deepEqual(read(next), { ...read(search), afterId: String(lastId) })
        assert.match(next, /^[\w=&%.-]+$/)
      },
    ),
    { numRuns: times(100, 500) },
  )
})

test('oddly spelled names and undecodable ones do not affect the next page', () => {
  assert.equal(nextPageSearch('%6Cimit=2&%zz=1&%=2&=3&&AfterID=4', 7), 'limit=2&afterid=7')
  assert.equal(nextPageSearch('', 7), 'afterid=7')
})

test('bounds compare as numbers, and those beyond every ID count as infinite', () => {
  fc.assert(
    fc.property(
      digits,
      digits,
      fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER - 1 }),
      (after, before, id) => {
        const bounds = idBoundsOf({ afterId: after, beforeId: before, includePrimaryInfo: false })
        assert.equal(id > bounds.after, BigInt(id) > BigInt(after))
        assert.equal(id < bounds.before, BigInt(id) < BigInt(before))
      },
    ),
    { numRuns: times(100, 1_000) },
  )
  const all = idBoundsOf({ includePrimaryInfo: false })
  assert.ok(all.after < 1 && all.before > Number.MAX_SAFE_INTEGER - 1)
})

test('an empty value counts as not sent', () => {
  const empty = 'afterid=&beforeid=&afterdate=&beforedate=&include=&limit='
  assert.deepEqual(read(empty), { includePrimaryInfo: false })
  assert.deepEqual(read(''), { includePrimaryInfo: false })
})

test('any query string is either read or rejected with a problem that names the parameter', () => {
  const name = fc.constantFrom('afterid', 'beforeid', 'afterdate', 'beforedate', 'include', 'limit')
  const value = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('-1', 'abc', '1'.repeat(40), '1e3', '0x1'),
  )
  fc.assert(
    fc.property(name, value, (parameter, text) => {
      try {
        read(new URLSearchParams([[parameter, text]]).toString())
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'invalid-parameter')
        assert.match((error as { detail: string }).detail, new RegExp(`^The parameter ${parameter} must be `))
      }
    }),
    { numRuns: times(100, 1_000) },
  )
})

for (const search of [
  'afterid=-1',
  'afterid=abc',
  `afterid=${'9'.repeat(40)}`,
  'afterid=1.0',
  'afterid=%2B1',
  'afterid=+1',
  'beforeid=1%0A',
  'beforeid=%D9%A3',
  'afterdate=2026-02-30T00:00:00',
  'afterdate=2026-11-14',
  'beforedate=now',
  'include=everything',
  'include=primaryjobseekinginfo,x',
  'limit=0',
  'limit=1001',
  'limit=-5',
  'limit=ten',
]) {
  test(`refused: ${search.slice(0, 40)}`, () =>
    assert.throws(() => read(search), { code: 'invalid-parameter' }))
}

for (const search of ['afterid=1&afterid=2', 'afterid=1&AfterID=1', 'limit=5&limit=5', 'include=&include=']) {
  test(`refused as repeated: ${search}`, () => {
    assert.throws(() => read(search), { code: 'repeated-parameter' })
  })
}
