import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/harness/any-character.ts'
import { acceptedText, unwritableText } from '../../../test/harness/arbitraries.ts'
import { times } from '../../../test/harness/effort.ts'
import { parseXml } from '../../../test/harness/xml.ts'
import { isWritableText, lineBreak, textFault, writableText } from './text.ts'
import { xmlAttribute, xmlDeclaration, xmlElement } from './xml.ts'

test('every text of XML characters is writable', () => {
  fc.assert(
    fc.property(acceptedText(200, false), text => assert.ok(isWritableText(text))),
    { numRuns: times(100, 1_000) },
  )
})

test('text with any other character is not writable', () => {
  fc.assert(
    fc.property(unwritableText, text => assert.ok(!isWritableText(text))),
    { numRuns: times(100, 1_000) },
  )
})

test('each single code unit is judged as XML 1.0 judges it', () => {
  for (let code = 0; code <= 0xffff; code += 1) {
    const isAllowed =
      [0x9, 0xa, 0xd].includes(code) || (code >= 0x20 && code <= 0xd7ff) || (code >= 0xe000 && code <= 0xfffd)
    assert.equal(isWritableText(String.fromCharCode(code)), isAllowed, code.toString(16))
  }
})

test('writable text survives the round trip through an element and an attribute', () => {
  fc.assert(
    fc.property(acceptedText(200, false), text => {
      const { children, attributes } = parseXml(
        `${xmlDeclaration}<r${xmlAttribute('a', text)}>${xmlElement('e', text)}</r>`,
      )
      assert.equal(attributes['a'], text)
      assert.equal(children[0]?.text, text)
    }),
    { numRuns: times(100, 1_000) },
  )
})

test('length is reported first, then unwritable characters, then emptiness, then line breaks', () => {
  const bounds = { maxLength: 3, isRequired: true, notOnOneLine: lineBreak }
  assert.equal(textFault('abc', bounds), undefined)
  assert.equal(textFault('abcd', bounds), 'too-long')
  assert.equal(textFault('', bounds), 'empty')
  assert.equal(textFault(' \n\t', bounds), 'empty')
  assert.equal(textFault('', { maxLength: 3 }), undefined)
  assert.equal(textFault('\u200b', bounds), 'empty')
  assert.equal(textFault('\0', bounds), 'unwritable-character')
  assert.equal(textFault('a\nb', bounds), 'line-break')
  assert.equal(textFault('a\nb', { maxLength: 3 }), undefined)
  assert.equal(textFault('😀a', bounds), undefined)
  assert.equal(textFault('😀😀', bounds), 'too-long')
})

test('unwritable characters are replaced by marks', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), text => {
      const written = writableText(text)
      assert.ok(isWritableText(written))
      if (isWritableText(text)) assert.equal(written, text)
    }),
  )
  assert.equal(writableText('a\u0001b\uFFFEc\uD800'), 'a\uFFFDb\uFFFDc\uFFFD')
})
