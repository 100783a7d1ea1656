import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/harness/any-character.ts'
import { times } from '../../../test/harness/effort.ts'
import { asciiFileName, safeFileName } from './file-name.ts'

/** Names that a browser or script may send, including lone surrogates and many dangerous characters. */
const anyName = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({
    unit: fc.oneof(
      fc.constantFrom('/', '\\', '.', '..', ' ', '\0', '\r', '\n', '\t', '"', '*', ':', '\u202e', '\u200f'),
      fc.constantFrom(
        '\u061c',
        '\u2066',
        '\ufeff',
        '\u2028',
        '\ud800',
        '\udc00',
        '😀',
        'é',
        '履',
        '.pdf',
        'a',
      ),
    ),
    maxLength: 40,
  }),
  // Around the longest length, so that the cut falls on every kind of character.
  fc
    .tuple(
      fc.integer({ min: 140, max: 155 }),
      fc.string({ unit: fc.constantFrom('.', ' ', '😀', 'x', '.pdf', '.'), maxLength: 20 }),
    )
    .map(([length, end]) => 'n'.repeat(length) + end),
)

const runs = { numRuns: times(100, 2_000) }

/** Cc, and the whole Bidi_Control property of Unicode. */
const disguises = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

test('a safe name is one path part without control characters, quotes and bidirectional marks', () => {
  fc.assert(
    fc.property(anyName, sent => {
      const name = safeFileName(sent)
      assert.notEqual(name, '')
      assert.doesNotMatch(name, /[/\\]/)
      assert.doesNotMatch(name, /^\.|[. ]$|^ /)
      assert.doesNotMatch(name, /["*:<>?|]/)
      assert.doesNotMatch(name, disguises)
      assert.ok(name.isWellFormed())
    }),
    runs,
  )
})

test('a safe name can be saved: at most 150 characters and 255 bytes, the limit of ext4 and APFS', () => {
  const longName = fc.string({
    unit: fc.constantFrom('a', 'é', '履', '😀', '.pdf'),
    maxLength: 300,
    size: 'max',
  })
  fc.assert(
    fc.property(fc.oneof(anyName, longName), sent => {
      const name = safeFileName(sent)
      assert.ok(name.length <= 150)
      assert.ok(Buffer.byteLength(name) <= 255)
    }),
    runs,
  )
})

test('a name of a million characters takes no longer than reading it', () => {
  // With a step for each pair of characters, this would take hours.
  for (const run of ['.', ' .', '/', 'a']) {
    const sent = `a${run.repeat(1_000_000 / run.length)}x`
    assert.ok(safeFileName(sent).endsWith(run === 'a' ? 'a' : 'x'), JSON.stringify(run))
  }
})

test('a safe name stays unchanged', () => {
  fc.assert(
    fc.property(anyName, sent => {
      const name = safeFileName(sent)
      assert.equal(safeFileName(name), name)
    }),
    runs,
  )
})

const examples: [sent: string, name: string][] = [
  ['resume.pdf', 'resume.pdf'],
  ['履歴書_田中美咲.pdf', '履歴書_田中美咲.pdf'],
  ['Whitfield, Grace; CV (final).pdf', 'Whitfield, Grace; CV (final).pdf'],
  ["Liam O'Connor resume.pdf", "Liam O'Connor resume.pdf"],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\mary\\cv.docx', 'cv.docx'],
  ['cv\u202efdp.exe', 'cvfdp.exe'],
  ['cv\u061cfdp.exe', 'cvfdp.exe'],
  ['.htaccess', 'htaccess'],
  ['..', 'file'],
  ['folder/', 'file'],
  ['', 'file'],
  ['  a \t\r\n b  ', 'a b'],
  [`${'n'.repeat(300)}.pdf`, `${'n'.repeat(146)}.pdf`],
]
// Bidirectional marks would also reorder the list of tests.
const shown = (text: string) =>
  JSON.stringify(text.slice(0, 40)).replace(/\p{Cf}/gu, mark => `U+${mark.charCodeAt(0).toString(16)}`)

for (const [sent, name] of examples) {
  test(`${shown(sent)} is kept as ${shown(name)}`, () => {
    assert.equal(safeFileName(sent), name)
  })
}

test('the ASCII form has one underscore for each other character', () => {
  assert.equal(asciiFileName('履歴書 😀é.pdf'), '___ __.pdf')
  fc.assert(
    fc.property(anyName, sent => {
      assert.match(asciiFileName(sent), /^[\x20-\x7e]*$/)
    }),
    runs,
  )
})

test('a very long name costs no more than one that fits', () => {
  // Few characters may be examined one by one: a request may contain names of thousands.
  const long = `${'履'.repeat(1_000_000)}.pdf`
  const name = safeFileName(long)
  assert.match(name, /^履+\.pdf$/)
  assert.ok(Buffer.byteLength(name) <= 255)
})
