import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { asciiFileName } from '../core/file-name.ts'
import { Problem } from '../core/problems.ts'
import { chooseRange, isUnchanged } from './conditions.ts'

export interface FileAnswer {
  file: { fileName: string; contentType: string; sha256: string; size: number; changedAt: number }
  /**
   * Called only when bytes go out: not for HEAD, nor for what the caller has already. Undefined where nothing is
   * left of the file, of which there are no parts either.
   */
  open: ((range?: { start: number; end: number }) => Promise<NodeJS.ReadableStream>) | undefined
  /** Version 1 sends whole files chunked, version 2 with their length. */
  isLengthTold: boolean
  /** To people: a browser would keep a file that may be cached, for whoever uses it after the sign-out. */
  isForBrowser?: boolean
}

/** A file with its validators: whole, in part, or not at all because it is unchanged. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, open, isLengthTold, isForBrowser = false }: FileAnswer,
): Promise<FastifyReply> {
  const etag = `"${file.sha256}"`
  const lastModified = new Date(file.changedAt).toUTCString()
  reply.headers({
    'cache-control': isForBrowser ? 'private, no-store' : 'private',
    etag,
    'last-modified': lastModified,
    'accept-ranges': 'bytes',
  })
  if (isUnchanged(request.headers, { etag, lastModified })) return reply.status(304).send()
  reply.headers({
    'content-type': file.contentType,
    'content-disposition': contentDisposition(file.fileName, { fallback: asciiFileName(file.fileName) }),
  })
  if (open === undefined) return reply.send('')
  if (request.method === 'HEAD') return reply.header('content-length', file.size).send()
  const range = chooseRange(request.headers, { size: file.size, etag, lastModified })
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${file.size}`)
    throw new Problem('range-not-satisfiable')
  }
  const content = await open(range)
  if (range !== undefined) {
    reply.status(206).headers({
      'content-range': `bytes ${range.start}-${range.end}/${file.size}`,
      'content-length': range.end - range.start + 1,
    })
  } else if (isLengthTold) reply.header('content-length', file.size)
  return reply.send(content)
}
