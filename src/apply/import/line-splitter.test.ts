import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LineSplitter } from './line-splitter.ts'

function split(content: Buffer, cuts: readonly number[], lineBytes = 100) {
  const splitter = new LineSplitter(lineBytes)
  const places = [0, ...cuts.map(cut => cut % (content.length + 1)).toSorted((one, other) => one - other)]
  const lines = places.flatMap((from, index) => {
    // The splitter may reuse the chunk, as a reader reuses its buffer.
    const chunk = Buffer.from(content.subarray(from, places[index + 1] ?? content.length))
    const found = splitter.push(chunk)
    chunk.fill(0)
    return found
  })
  return [...lines, ...splitter.end()].map(({ line, offset, length, content: text }) => ({
    line,
    offset,
    length,
    text: text === undefined ? undefined : Buffer.from(text).toString(),
  }))
}

test('lines are counted from one, including empty ones, and have no line endings', () => {
  const content = Buffer.from('\uFEFFone\r\n\n  \t\ntwo\r\n\rthree')
  assert.deepEqual(split(content, []), [
    { line: 1, offset: 3, length: 3, text: 'one' },
    { line: 4, offset: 13, length: 3, text: 'two' },
    { line: 5, offset: 18, length: 6, text: '\rthree' },
  ])
})

test('of a line that is too long only its position is kept', () => {
  const content = Buffer.from(`a\n${'x'.repeat(500)}\r\n${'y'.repeat(100)}\r\nb`)
  for (const cuts of [[], [50, 200, 300], [400, 502, 503, 605], [400, 501, 503, 504]]) {
    assert.deepEqual(split(content, cuts), [
      { line: 1, offset: 0, length: 1, text: 'a' },
      { line: 2, offset: 2, length: 500, text: undefined },
      { line: 3, offset: 504, length: 100, text: 'y'.repeat(100) },
      { line: 4, offset: 606, length: 1, text: 'b' },
    ])
  }
})

test('the lines are the same wherever the pieces end', () => {
  const piece = fc.constantFrom('a', 'bb', '\n', '\r\n', '\r', ' ', '\uFEFF', 'ü', 'x'.repeat(12))
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.array(fc.nat(), { maxLength: 8 }), (pieces, cuts) => {
      const content = Buffer.from(pieces.join(''))
      const lines = split(content, cuts, 10)
      assert.deepEqual(lines, split(content, [], 10))
      for (const { offset, length, text } of lines) {
        if (text === undefined) assert.ok(length > 10)
        else assert.equal(content.subarray(offset, offset + length).toString(), text)
      }
    }),
  )
})
