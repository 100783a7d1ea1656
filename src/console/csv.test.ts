import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { csvLine } from './csv.ts'

/** RFC 4180 by its grammar, one record. */
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

test('what looks like a formula stands behind an apostrophe', () => {
  const cells = ['=1+1', '+61 2 5550 0000', '-2', '@sum(a1)', '\t=1', '\r=1', 'a=1', ' =1']
  assert.deepEqual(cellsOf(csvLine(cells)), [
    "'=1+1",
    "'+61 2 5550 0000",
    "'-2",
    "'@sum(a1)",
    "'\t=1",
    "'\r=1",
    'a=1',
    ' =1',
  ])
})

test('nothing, numbers and what needs quotes', () => {
  assert.equal(
    csvLine([null, 17, '', 'a,b', 'say "hi"', 'two\nlines', 'Zoë']),
    ',17,,"a,b","say ""hi""","two\nlines",Zoë\r\n',
  )
})

test('any text comes back as it was, apart from the apostrophe', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), texts => {
      const expected = texts.map(text => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text))
      assert.deepEqual(cellsOf(csvLine(texts)), expected)
    }),
  )
})
