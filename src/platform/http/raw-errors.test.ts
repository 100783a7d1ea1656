import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { recordLog } from '../../../test/harness/log.ts'
import { answerRawErrors } from './raw-errors.ts'

const urlBytes = 16_384
const urlOf = (bytes: number) => '/'.padEnd(bytes, 'u')

/** The packet in which the parser's limit is reached, and the answer. */
const overflows: [what: string, packet: string, status: number][] = [
  ['the longest URL, and headers', `GET ${urlOf(urlBytes)} HTTP/1.1\r\nX: ${'y'.repeat(30_000)}`, 431],
  ['a URL that is too long, and headers', `GET ${urlOf(urlBytes + 1)} HTTP/1.1\r\nX: y`, 414],
  ['a URL without an end', `GET ${urlOf(40_000)}`, 414],
  ['a later packet of a header', 'y'.repeat(1_000), 431],
  ['a later packet with several headers', 'y\r\nCookie: a=b\r\nX: y', 431],
]

for (const [what, packet, status] of overflows) {
  test(`a request beyond the parser's limit is a ${status}: ${what}`, async () => {
    const server = createServer()
    answerRawErrors(server, { urlBytes, baseUrl: () => 'http://localhost', log: recordLog().log })
    const socket = new PassThrough()
    const error = { code: 'HPE_HEADER_OVERFLOW', rawPacket: Buffer.from(packet, 'latin1') }
    server.emit('clientError', Object.assign(new Error('overflow'), error), socket)
    assert.match(await text(socket), new RegExp(`^HTTP/1\\.1 ${status} `))
  })
}
