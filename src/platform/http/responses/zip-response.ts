import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply } from 'fastify'
import { ZipFile } from 'yazl'
import type { ResponseReads } from '../../core/async/response-reads.ts'
import { durableChunks } from './chunked-response.ts'

export interface ZipEntry {
  path: string
  /** In epoch milliseconds. */
  at: number
  content: NodeJS.ReadableStream | AsyncIterable<string>
  /** If given, the content must have exactly this many bytes. */
  size?: number
}

/**
 * Streams a ZIP archive, opening each entry when the previous one has been sent. An error cuts the connection, so that a
 * truncated archive does not look complete. When the reader disconnects, the open entry is closed.
 */
export function sendZip(
  reply: FastifyReply,
  fileName: string,
  entries: AsyncIterable<ZipEntry>,
): FastifyReply {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  zip.on('error', error => output.destroy(error as Error))
  fill(zip, output, { entries, reads: reply.request.reads }).catch(error => output.destroy(error))
  return reply
    .headers({
      'content-type': 'application/zip',
      'content-disposition': contentDisposition(fileName),
      'cache-control': 'no-store',
    })
    .send(output)
}

async function fill(
  zip: ZipFile,
  output: Readable,
  { entries, reads }: { entries: AsyncIterable<ZipEntry>; reads: ResponseReads | undefined },
): Promise<void> {
  let current: Readable | undefined
  output.once('close', () => current?.destroy())
  for await (const { path, at, content, size } of durableChunks(reads, entries)) {
    // Destroying a wrapper that has not been read from would leave its file open.
    current = isText(content)
      ? Readable.from(durableChunks(reads, content), { objectMode: false })
      : (content as Readable)
    if (output.destroyed) {
      current.destroy()
      return
    }
    // Files are already compressed, or small.
    const isFile = size !== undefined
    zip.addReadStream(current, path, {
      mtime: new Date(at),
      compress: !isFile,
      ...(isFile ? { size } : {}),
    })
    await finished(current)
  }
  zip.end()
}

const isText = (content: ZipEntry['content']): content is AsyncIterable<string> =>
  !(content instanceof Readable)
