import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { Transform } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { freePort } from './free-port.ts'

export type S3FaultKind =
  /** 503 SlowDown. */
  | 'slow-down'
  /** Nothing comes back. */
  | 'mute'
  /** The connection breaks in the middle of the request, or of the response. */
  | 'cut-request'
  | 'cut-answer'
  /** All of it is done, and the caller gets no response. */
  | 'lose-answer'
  /** The second half never comes, and the connection stays open. */
  | 'stall-answer'
  /** Half of the content with a length to match, or in chunks with a proper end. */
  | 'short-answer'
  | 'short-chunks'
  /** One byte in the middle is changed. */
  | 'change-request'
  | 'change-answer'
  /** Refused with this status and code of S3. */
  | { status: number; code: string }

export interface S3FaultProxy {
  endpoint: string
  /** The fault of the next calls of this operation, so many times. */
  break(operation: string, kind: S3FaultKind, times?: number): void
  /** Connections are refused. */
  leave(): Promise<void>
  come(): Promise<void>
  heal(): void
  /** Every call since the last `heal`. */
  readonly calls: { operation: string; headers: IncomingMessage['headers'] }[]
  close(): Promise<void>
}

/** A proxy between a service and an S3 server that recognises each call. */
export async function startS3FaultProxy(target: string): Promise<S3FaultProxy> {
  const faults = new Map<string, { kind: S3FaultKind; left: number }>()
  let calls: S3FaultProxy['calls'] = []

  function faultFor(operation: string): S3FaultKind | undefined {
    const fault = faults.get(operation)
    if (fault === undefined || fault.left === 0) return undefined
    fault.left -= 1
    return fault.kind
  }

  const server = createServer((incoming, outgoing) => {
    const operation = operationOf(incoming)
    calls.push({ operation, headers: incoming.headers })
    // A pipeline removes it from a request that it gives up.
    const { socket } = incoming
    // Faults are injected on purpose, or the caller has disconnected.
    forward(target, incoming, outgoing, faultFor(operation)).catch(() => socket.destroy())
  })
  // A caller must not find a connection closed because the test before took long.
  server.keepAliveTimeout = 0
  const port = await freePort()
  async function come(): Promise<void> {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  async function leave(): Promise<void> {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  await come()
  return {
    endpoint: `http://127.0.0.1:${port}`,
    break: (operation, kind, times = Number.POSITIVE_INFINITY) =>
      void faults.set(operation, { kind, left: times }),
    leave,
    come,
    heal() {
      faults.clear()
      calls = []
    },
    get calls() {
      return calls
    },
    close: leave,
  }
}

function operationOf({ method, url }: IncomingMessage): string {
  const { pathname, searchParams: query } = new URL(url ?? '', 'http://s3')
  const isBucket = pathname.split('/').filter(part => part !== '').length === 1
  if (isBucket) {
    if (method === 'HEAD') return 'HeadBucket'
    return query.has('uploads') ? 'ListMultipartUploads' : 'ListObjectsV2'
  }
  const parts = query.has('uploads') ? 'uploads' : query.has('uploadId') ? 'uploadId' : ''
  const operations: Record<string, string> = {
    GET: 'GetObject',
    HEAD: 'HeadObject',
    PUT: 'PutObject',
    DELETE: 'DeleteObject',
    'POST uploads': 'CreateMultipartUpload',
    'PUT uploadId': 'UploadPart',
    'POST uploadId': 'CompleteMultipartUpload',
    'DELETE uploadId': 'AbortMultipartUpload',
  }
  return operations[`${method} ${parts}`.trim()] ?? `${method} ${url}`
}

async function forward(
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  kind: S3FaultKind | undefined,
): Promise<void> {
  if (kind === 'mute') return
  if (kind === 'slow-down') return refuse(incoming, outgoing, 503, 'SlowDown')
  if (typeof kind === 'object') return refuse(incoming, outgoing, kind.status, kind.code)
  const { method, url, headers } = incoming
  const far = request(target + url, { method: method as string, headers, agent: false })
  const answered = once(far, 'response') as Promise<[IncomingMessage]>
  answered.catch(() => {})
  const length = Number(headers['content-length'] ?? 0)
  await pipeline(
    incoming,
    half(length, kind === 'cut-request' ? 'cut' : kind === 'change-request' ? 'change' : 'none'),
    far,
  )
  const [answer] = await answered
  if (kind === 'lose-answer') throw new Error('lost')
  await sendBack(answer, outgoing, kind)
}

async function sendBack(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  kind: S3FaultKind | undefined,
): Promise<void> {
  const length = Number(answer.headers['content-length'] ?? 0)
  const { 'content-length': _, ...chunked } = answer.headers
  const shorter = { ...answer.headers, 'content-length': String(Math.floor(length / 2)) }
  outgoing.writeHead(
    answer.statusCode as number,
    kind === 'short-answer' ? shorter : kind === 'short-chunks' ? chunked : answer.headers,
  )
  if (kind === 'stall-answer') {
    outgoing.flushHeaders()
    await pipeline(answer, half(length, 'end'), outgoing, { end: false })
    return
  }
  const what = {
    'cut-answer': 'cut',
    'change-answer': 'change',
    'short-answer': 'end',
    'short-chunks': 'end',
  } as const
  await pipeline(answer, half(length, what[kind as keyof typeof what] ?? 'none'), outgoing)
}

/** The effect on a body of this length at its middle. */
function half(length: number, what: 'none' | 'cut' | 'change' | 'end'): Transform {
  const middle = Math.floor(length / 2)
  let seen = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const at = middle - seen
      seen += chunk.length
      if (what === 'none' || seen <= middle) return done(null, chunk)
      if (what === 'change') {
        if (at >= 0) chunk[at] = (chunk[at] as number) ^ 1
        return done(null, chunk)
      }
      if (at > 0) this.push(chunk.subarray(0, at))
      // After the pushed bytes.
      if (what === 'cut') return void setImmediate(() => done(new Error('cut')))
      return done()
    },
  })
}

async function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  status: number,
  code: string,
): Promise<void> {
  // A connection that is closed with bytes unread may be reset before the caller has read the response.
  await finished(incoming.resume())
  outgoing.writeHead(status, { 'content-type': 'application/xml', connection: 'close' })
  outgoing.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>On purpose.</Message></Error>`)
}
