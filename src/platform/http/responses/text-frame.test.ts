import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeText } from '../../web/file-frame.ts'

test('text is read in its own encoding', () => {
  const encodings: [string, Buffer][] = [
    ['Zoë 美咲', Buffer.from('Zoë 美咲')],
    ['Zoë', Buffer.from('Zo\xeb', 'latin1')],
    ['“Zoë” €', Buffer.from('\x93Zo\xeb\x94 \x80', 'latin1')],
    ['Zoë 美咲', Buffer.from('\ufeffZoë 美咲', 'utf16le')],
    ['Zoë 美咲', Buffer.from('\ufeffZoë 美咲', 'utf16le').swap16()],
    ['Zoë', Buffer.from('\ufeffZoë')],
    ['', Buffer.alloc(0)],
  ]
  for (const [text, bytes] of encodings) assert.equal(decodeText(bytes), text)
})

test('text cut in the middle of a character is still UTF-8', () => {
  assert.equal(decodeText(Buffer.from('Zoë 美').subarray(0, -1), true), 'Zoë ')
})
