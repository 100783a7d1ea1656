import type { OutgoingHttpHeaders } from 'node:http'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { asciiFileName } from '../../core/file-name.ts'
import { Problem } from '../../core/problems.ts'
import { chooseRange, isUnchanged } from '../requests/conditions.ts'

/** Memory that is used again when it is given back. */
interface LentBytes {
  bytes: Uint8Array
  giveBack(): void
}

/** An address that the caller is sent to, or a path that only the proxy in front of us can open. */
type HandOver = { url: string } | { internalPath: string }

export interface FileAnswer {
  file: { fileName: string; contentType: string; sha256: string; size: number; changedAt: number }
  /**
   * Called only when bytes go out: not for HEAD, nor for what the caller has already. Undefined where nothing is
   * left of the file, of which there are no parts either.
   */
  open: ((range?: { start: number; end: number }) => Promise<NodeJS.ReadableStream>) | undefined
  /** The same bytes at once, where there is a way; whoever gets none asks `open`. */
  lend?: (range?: { start: number; end: number }) => Promise<LentBytes | undefined>
  /** Where the whole content is found, when it is not for us to send. */
  handOver?: (request: {
    contentType: string
    contentDisposition: string
    cacheControl: string
    isNginxInFront: boolean
  }) => Promise<HandOver | undefined>
  /** Version 1 sends whole files chunked, version 2 with their length. */
  isLengthTold: boolean
  /** To people: a browser would keep a file that may be cached, for whoever uses it after the sign-out. */
  isForBrowser?: boolean
}

/** A file with its validators: whole, in part, or not at all because it is unchanged. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, open, lend, handOver, isLengthTold, isForBrowser = false }: FileAnswer,
): Promise<FastifyReply> {
  const etag = `"${file.sha256}"`
  const cacheControl = isForBrowser ? 'private, no-store' : 'private'
  const lastModified = new Date(file.changedAt).toUTCString()
  reply.headers({
    'cache-control': cacheControl,
    etag,
    'last-modified': lastModified,
    'accept-ranges': 'bytes',
  })
  if (isUnchanged(request.headers, { etag, lastModified })) return reply.status(304).send()
  const { contentType, fileName } = file
  const disposition = contentDisposition(fileName, { fallback: asciiFileName(fileName) })
  reply.headers({ 'content-type': contentType, 'content-disposition': disposition })
  if (open === undefined) return reply.send('')
  if (request.method === 'HEAD') return reply.header('content-length', file.size).send()
  const range = chooseRange(request.headers, { size: file.size, etag, lastModified })
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${file.size}`)
    throw new Problem('range-not-satisfiable')
  }
  if (isPlain(request)) {
    const elsewhere = await handOver?.({
      ...{ contentType, contentDisposition: disposition, cacheControl },
      // It overwrites what a client may have sent. Who forges it gets an answer without a body, and nothing else.
      isNginxInFront: request.headers['x-sendfile-type'] === 'X-Accel-Redirect',
    })
    if (elsewhere !== undefined) return sendElsewhere(reply, elsewhere)
  }
  const content = (await lend?.(range)) ?? (await open(range))
  if (range !== undefined) {
    reply.status(206).headers({
      'content-range': `bytes ${range.start}-${range.end}/${file.size}`,
      'content-length': range.end - range.start + 1,
    })
  } else if (isLengthTold || request.raw.httpVersion === '1.0') {
    // Where chunks are not known, a file that breaks off would look whole without its length.
    reply.header('content-length', file.size)
  }
  return 'giveBack' in content ? sendAtOnce(reply, content) : reply.send(content)
}

/**
 * The whole without any condition. Everything else is ours to answer: whoever the file is handed over to would judge
 * the conditions again, by other rules, and by tags and dates that are not those of the contract.
 */
function isPlain({ headers }: FastifyRequest): boolean {
  return !conditions.some(name => name in headers)
}

const conditions = [
  'range',
  'if-range',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
]

function sendElsewhere(reply: FastifyReply, elsewhere: HandOver): FastifyReply {
  if ('internalPath' in elsewhere) {
    // nginx says by itself that it knows ranges, and would say it twice.
    return reply.removeHeader('accept-ranges').header('x-accel-redirect', elsewhere.internalPath).send('')
  }
  // The address is a key to the file: it is in no cache.
  reply.headers({ location: elsewhere.url, 'cache-control': 'private, no-store' })
  return reply.status(302).removeHeader('content-type').removeHeader('content-disposition').send()
}

/** Past Fastify, which would say how long it is: in one write, with the frame of a chunk around it where that is due. */
function sendAtOnce(reply: FastifyReply, { bytes, giveBack }: LentBytes): FastifyReply {
  const { raw } = reply.hijack()
  raw.once('close', giveBack)
  // Whoever left while we read has closed already, and that is told only once.
  if (raw.destroyed) giveBack()
  else raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders).end(bytes)
  return reply
}
