import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { newUuid } from '../core/ids.ts'
import type { Log } from '../core/log.ts'
import { type PlatformCode, Problem } from '../core/problems.ts'
import { STATUS_CODES } from './node-http.ts'
import { requestIdOf } from './observed/request-id.ts'
import { problemDetails } from './responses/problem-response.ts'

interface RawErrorOptions {
  baseUrl(): string
  urlBytes: number
  log: Log
}

/** Answers errors that Node raises before there is a request, with our headers and a problem body. */
export function answerRawErrors(server: Server, options: RawErrorOptions): void {
  const send = (socket: Duplex, code: PlatformCode) => {
    const { head, body } = rawAnswer(code, options)
    socket.end(`${head}\r\n\r\n${body}`)
  }
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Duplex) => {
    const answer = runningResponse(socket)
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    // The rest of this request will never arrive; closing the connection ends the handler that reads it.
    else if (answer !== undefined && !answer.req.complete && !answer.headersSent) {
      socket.once('finish', () => socket.destroy())
      send(socket, codeOf(error, options.urlBytes))
    }
    // The response to the previous request comes first; the client would take ours for it.
    else if (answer !== undefined) answer.once('close', () => socket.destroy())
    else {
      // A deliberately slow client continues to send after the timeout and would keep the connection forever.
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') socket.once('finish', () => socket.destroy())
      send(socket, codeOf(error, options.urlBytes))
    }
  })
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => send(socket, 'bad-request'))
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const { headers, status, body } = rawAnswer('expectation-failed', options, requestIdOf(request))
    response.writeHead(status, headers).end(body)
  })
}

function runningResponse(socket: Duplex): ServerResponse | undefined {
  return (socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined
}

function codeOf(error: NodeJS.ErrnoException & { rawPacket?: Buffer }, urlBytes: number): PlatformCode {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW': {
      // URL and headers share the parser's limit. A packet without the request line most likely continues the headers.
      const [, url = ''] = /^[A-Z-]+ ([^ \r\n]*)/.exec(error.rawPacket?.toString('latin1') ?? '') ?? []
      return url.length > urlBytes ? 'uri-too-long' : 'headers-too-large'
    }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'request-timeout'
    default:
      return 'bad-request'
  }
}

function rawAnswer(code: PlatformCode, options: RawErrorOptions, requestId = newUuid()) {
  options.log.info({ requestId, code }, 'unreadable request')
  const details = problemDetails(new Problem(code), options.baseUrl(), requestId)
  const body = JSON.stringify(details)
  const headers = {
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${details.status} ${STATUS_CODES[details.status]}`, ...lines].join('\r\n')
  return { status: details.status, headers, head, body }
}
