import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { recordLog } from '../../../test/harness/log.ts'
import { createListeners } from './listeners.ts'
import { answerRawErrors } from './raw-errors.ts'

const limits = { urlBytes: 16_384, headerBytes: 16_384, connections: 10, requestsPerConnection: 10 }

test('headers that arrive byte by byte get 408 when their time is over', async t => {
  const listeners = createListeners({
    limits,
    headersMs: 200,
    answerErrors: server =>
      answerRawErrors(server, { ...limits, baseUrl: () => 'http://localhost', log: recordLog().log }),
    onRefused: () => {},
  })
  const server = listeners.first((_request, response) => response.end()).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  // A client that keeps writing after it was rejected.
  const socket = connect({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    allowHalfOpen: true,
  })
  // Its writes fail once the server has closed the connection.
  socket.on('error', () => {})
  let answer = ''
  socket.setEncoding('utf8').on('data', part => {
    answer += part
  })
  // Ten seconds of this, and the headers would be complete.
  const head = `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Slow: ${'x'.repeat(450)}\r\n\r\n`
  for (const byte of head) {
    if (socket.closed) break
    socket.write(byte)
    await sleep(20)
  }
  assert.equal(socket.closed, true)
  assert.match(answer, /^HTTP\/1\.1 408 /)
})
