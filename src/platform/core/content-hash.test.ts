import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { contentHash } from './content-hash.ts'

const resume = { part: 'resume', fileName: 'a.pdf', sha256: 'a' }
const letter = { part: 'coverLetter', fileName: 'b.pdf', sha256: 'b' }

/** The same value with the keys of every object reversed. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, part]) => [key, turned(part)]),
  )
}

test('the order of keys and of parts makes no difference', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const again = JSON.parse(JSON.stringify(turned(value), null, 1))
      assert.equal(contentHash(again, [letter, resume]), contentHash(value, [resume, letter]))
    }),
  )
})

test('every other difference changes the hash', () => {
  const contents: [unknown, (typeof resume)[]][] = [
    [{ a: 1 }, []],
    [{ a: '1' }, []],
    [{ a: [1] }, []],
    [{ a: null }, []],
    [{}, []],
    [[], []],
    [[['a', 1]], []],
    [{ a: { b: 1 } }, []],
    [{ a: [2, 1] }, []],
    [{ a: [1, 2] }, []],
    [{}, [resume]],
    [{}, [letter]],
    [{}, [resume, letter]],
    [{}, [{ ...resume, fileName: 'A.pdf' }]],
    [{}, [{ ...resume, sha256: 'b' }]],
    [{}, [{ ...resume, part: 'coverLetter' }]],
  ]
  const hashes = contents.map(([value, parts]) => contentHash(value, parts))
  assert.equal(new Set(hashes).size, contents.length)
})
