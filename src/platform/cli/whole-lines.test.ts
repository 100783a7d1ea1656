import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wholeLines } from './output.ts'

test('pieces end with a line and stay within the bound; no byte is lost', () => {
  assert.deepEqual(wholeLines('ab\ncd\nef\n', 6), ['ab\ncd\n', 'ef\n'])
  assert.deepEqual(wholeLines('ab\ncd\n', 6), ['ab\ncd\n'])
  assert.deepEqual(wholeLines('', 6), [])
  // Bytes, not characters.
  assert.deepEqual(wholeLines('éé\nab\n', 6), ['éé\n', 'ab\n'])
})

test('a line longer than the bound stays in one piece, by itself', () => {
  assert.deepEqual(wholeLines('a\nlonger than that\nb\n', 6), ['a\n', 'longer than that\n', 'b\n'])
  assert.deepEqual(wholeLines('no end', 3), ['no end'])
})
