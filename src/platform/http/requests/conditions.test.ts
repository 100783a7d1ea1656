import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { times } from '../../../../test/harness/effort.ts'
import { chooseRange, isUnchanged, matchesTag } from './conditions.ts'

const validators = { etag: '"abc"', lastModified: 'Sat, 14 Nov 2026 00:00:00 GMT' }
const choose = (range: string, size: number, ifRange?: string) =>
  chooseRange({ range, ...(ifRange === undefined ? {} : { 'if-range': ifRange }) }, { ...validators, size })

const size = fc.integer({ min: 0, max: 12 })
const position = fc.oneof(
  fc.constant(''),
  fc.integer({ min: 0, max: 15 }).map(String),
  fc.constant('9'.repeat(30)),
)

test('a range returns the bytes that it names, checked by counting them one by one', () => {
  fc.assert(
    fc.property(position, position, size, (first, last, length) => {
      fc.pre(first !== '' || last !== '')
      const chosen = choose(`bytes=${first}-${last}`, length)
      if (first !== '' && last !== '' && BigInt(last) < BigInt(first)) {
        assert.equal(chosen, undefined, 'a header that contradicts itself is not there')
        return
      }
      const all = Array.from({ length }, (_, index) => index)
      const wanted =
        first === ''
          ? all.slice(Math.max(0, length - Number(last)))
          : all.filter(index => index >= Number(first) && (last === '' || index <= Number(last)))
      assert.deepEqual(
        chosen,
        wanted.length === 0 ? 'unsatisfiable' : { start: wanted[0], end: wanted.at(-1) },
      )
    }),
    { numRuns: times(100, 2_000) },
  )
})

test('a caller that asks caches to revalidate gets a fresh response from us too', () => {
  const asked = { 'if-none-match': '"abc"', 'cache-control': 'no-cache' }
  assert.equal(isUnchanged(asked, validators), true)
  assert.equal(matchesTag(asked, '"abc"'), true)
  assert.equal(matchesTag({ ...asked, 'if-none-match': '"other"' }, '"abc"'), false)
})

for (const header of [
  '',
  'bytes',
  'bytes=',
  'bytes=-',
  'bytes=a-b',
  'bytes=1',
  'items=0-1',
  'bytes=0-1,3-4',
  'bytes=-1-2',
]) {
  test(`the whole file is sent for ${JSON.stringify(header)}`, () =>
    assert.equal(choose(header, 10), undefined))
}

test('the unit matches in any letter case', () => {
  assert.deepEqual(choose('Bytes=2-3', 10), { start: 2, end: 3 })
})

test('a range applies only to the content that the caller knows', () => {
  const span = { start: 0, end: 1 }
  assert.deepEqual(choose('bytes=0-1', 10, validators.etag), span)
  assert.deepEqual(choose('bytes=0-1', 10, validators.lastModified), span)
  for (const other of ['"other"', 'W/"abc"', 'abc', 'Fri, 13 Nov 2026 00:00:00 GMT', '*', '']) {
    assert.equal(choose('bytes=0-1', 10, other), undefined, other)
  }
})

const unchanged: [headers: Record<string, string>, expected: boolean][] = [
  [{}, false],
  [{ 'if-none-match': '"abc"' }, true],
  [{ 'if-none-match': 'W/"abc"' }, true],
  [{ 'if-none-match': '"x", "abc"' }, true],
  [{ 'if-none-match': '*' }, true],
  [{ 'if-none-match': '"x"' }, false],
  [{ 'if-modified-since': validators.lastModified }, true],
  [{ 'if-modified-since': 'Sun, 15 Nov 2026 00:00:00 GMT' }, true],
  [{ 'if-modified-since': 'Fri, 13 Nov 2026 00:00:00 GMT' }, false],
  [{ 'if-modified-since': 'yesterday' }, false],
  // The ETag is the finer of the two, so it decides when both are sent.
  [{ 'if-none-match': '"x"', 'if-modified-since': 'Sun, 15 Nov 2026 00:00:00 GMT' }, false],
  [{ 'if-none-match': '"abc"', 'if-modified-since': 'Fri, 13 Nov 2026 00:00:00 GMT' }, true],
]
for (const [headers, expected] of unchanged) {
  test(`${JSON.stringify(headers)} is ${expected ? 'unchanged' : 'sent'}`, () => {
    assert.equal(isUnchanged(headers, validators), expected)
  })
}
