import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/harness/any-character.ts'
import { csvLine } from './csv.ts'

/** Parses one record by the grammar of RFC 4180. */
function cellsOf(line: string): string[] {
  assert.match(line, /\r\n$/)
  const cells: string[] = []
  let rest = line.slice(0, -2)
  for (;;) {
    const [whole = '', quoted, plain = ''] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))/.exec(rest) ?? []
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    rest = rest.slice(whole.length)
    if (rest === '') return cells
    assert.equal(rest[0], ',', line)
    rest = rest.slice(1)
  }
}

test('text that looks like a formula is prefixed with an apostrophe', () => {
  for (const [text, safe] of [
    ['=1+1', "'=1+1"],
    ['+61 2 5550 0000', "'+61 2 5550 0000"],
    ['-2', "'-2"],
    ['@sum(a1)', "'@sum(a1)"],
    ['\tx', "'\tx"],
    ['\rx', "'\rx"],
    ['\nx', "'\nx"],
    ['\uFF1D1', "'\uFF1D1"],
    ['\uFF0B1', "'\uFF0B1"],
    ['\uFF0D1', "'\uFF0D1"],
    ['\uFF20a', "'\uFF20a"],
    [' =1', "' =1"],
    ['\u00A0\u200B\u2060\u202E=1', "'\u00A0\u200B\u2060\u202E=1"],
    ['"=1', '\'"=1'],
    ['a;=1', "a;'=1"],
    ['a; "=1"', 'a;\' "=1"'],
    ['a\t=1', "a\t'=1"],
    ['a\n=1', "a\n'=1"],
    ['a=1; b', 'a=1; b'],
    ['mary@example.com', 'mary@example.com'],
    [' a', ' a'],
  ] as const) {
    assert.deepEqual(cellsOf(csvLine([text])), [safe], JSON.stringify(text))
  }
})

test('empty cells, numbers and quoted text', () => {
  assert.equal(
    csvLine([null, 17, '', 'a,b', 'say "hi"', 'two\nlines', 'Zoë']),
    ',17,,"a,b","say ""hi""","two\nlines","Zoë"\r\n',
  )
})

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'=+-@\uFF1D\uFF20;,\t\r\n "\'\u00A0\u200Ba'),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
  ),
})

test('any text survives a round trip, apart from apostrophes', () => {
  const bare = (texts: readonly string[]) => texts.map(text => text.replaceAll("'", ''))
  fc.assert(
    fc.property(fc.array(hostile, { minLength: 1 }), texts => {
      assert.deepEqual(bare(cellsOf(csvLine(texts))), bare(texts))
    }),
  )
})

test('no cell starts with a formula sign, whichever separator splits the line', () => {
  fc.assert(
    fc.property(fc.array(hostile, { minLength: 1 }), texts => {
      const line = csvLine(texts)
      for (const piece of [...line.split(/[;\t\r\n]/), ...cellsOf(line)]) {
        assert.doesNotMatch(piece.replace(/^[\s\u200B"]+/, ''), /^[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/)
      }
    }),
  )
})
