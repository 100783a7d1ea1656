import type { OutgoingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { asciiFileName } from '../../core/file-name.ts'
import { Problem } from '../../core/problems.ts'
import { chooseRange, isUnchanged } from '../requests/conditions.ts'

/** Memory that is reused once it is released. */
interface PooledBytes {
  bytes: Uint8Array
  release(): void
}

/** A URL to redirect the caller to, or a path that only the proxy in front of us can open. */
type DelegatedDownload = { url: string } | { internalPath: string }

export interface FileAnswer {
  file: { fileName: string; contentType: string; sha256: string; size: number; changedAt: number }
  /**
   * Called only if bytes are sent: not for HEAD, nor if the caller already has the file. Undefined if the file's
   * content is gone; then there are no ranges either.
   */
  open: ((range?: { start: number; end: number }) => Promise<NodeJS.ReadableStream>) | undefined
  /** Returns all bytes together, where supported; if it returns undefined, `open` is used. */
  acquire?: (range?: { start: number; end: number }) => Promise<PooledBytes | undefined>
  /** Location of the whole content, if another server sends it. */
  delegateDownload?: (request: {
    contentType: string
    contentDisposition: string
    cacheControl: string
    isNginxInFront: boolean
  }) => Promise<DelegatedDownload | undefined>
  /**
   * Called before content is sent, or its location. If the file has been replaced since it was looked up, it returns a
   * function that sends the new one.
   */
  beforeContent?(): Promise<(() => Promise<FastifyReply>) | undefined>
  /** Version 1 sends whole files in chunks, version 2 with their length. */
  isLengthTold: boolean
  /** Forbids caching: a browser would keep the file for the next person who uses it. */
  isForBrowser?: boolean
}

/** Sends a file with its validators: whole, a range, or 304 if it is unchanged. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, open, acquire, delegateDownload, beforeContent, isLengthTold, isForBrowser = false }: FileAnswer,
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
    const elsewhere = await delegateDownload?.({
      contentType,
      contentDisposition: disposition,
      cacheControl,
      // nginx overwrites a client's own header. A caller who forges it gets only a response without a body.
      isNginxInFront: request.headers['x-sendfile-type'] === 'X-Accel-Redirect',
    })
    if (elsewhere !== undefined) {
      const sendNewer = await beforeContent?.()
      return sendNewer === undefined ? sendElsewhere(reply, elsewhere) : sendNewer()
    }
  }
  const content = (await acquire?.(range)) ?? (await open(range))
  const close = () => ('release' in content ? content.release() : (content as Readable).destroy())
  const sendNewer = await beforeContent?.().catch(error => {
    close()
    throw error
  })
  if (sendNewer !== undefined) {
    close()
    return sendNewer()
  }
  if (range !== undefined) {
    reply.status(206).headers({
      'content-range': `bytes ${range.start}-${range.end}/${file.size}`,
      'content-length': range.end - range.start + 1,
    })
  } else if (isLengthTold || request.raw.httpVersion === '1.0') {
    // HTTP/1.0 has no chunks, so without the length a truncated file would look complete.
    reply.header('content-length', file.size)
  }
  if (!('release' in content)) return reply.send(content)
  await request.reads?.whenDurable()?.catch(error => {
    close()
    throw error
  })
  return sendAtOnce(reply, content)
}

/**
 * Whether the request is for the whole file without conditions. We answer all others ourselves: another server would
 * apply its own rules, tags and dates to the conditions, not those of the contract.
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

function sendElsewhere(reply: FastifyReply, elsewhere: DelegatedDownload): FastifyReply {
  if ('internalPath' in elsewhere) {
    // nginx adds this header itself and would send it twice.
    return reply.removeHeader('accept-ranges').header('x-accel-redirect', elsewhere.internalPath).send('')
  }
  // The URL gives access to the file, so it must not be cached.
  reply.headers({ location: elsewhere.url, 'cache-control': 'private, no-store' })
  return reply.status(302).removeHeader('content-type').removeHeader('content-disposition').send()
}

/** Bypasses Fastify, which would add the length: one write, framed as a chunk where required. */
function sendAtOnce(reply: FastifyReply, { bytes, release }: PooledBytes): FastifyReply {
  const { raw } = reply.hijack()
  raw.once('close', release)
  // If the caller has disconnected by now, the close event has already fired.
  if (raw.destroyed) release()
  else raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders).end(bytes)
  return reply
}
