import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply } from 'fastify'
import { ZipFile } from 'yazl'

export interface ZipEntry {
  path: string
  /** Epoch milliseconds. */
  at: number
  content: NodeJS.ReadableStream | AsyncIterable<string>
  /** Where it is known, the content must have exactly so many bytes. */
  size?: number
}

/**
 * An archive as it is being made: one entry after the other, each opened when the one before has gone out. When one
 * of them breaks, so does the connection: an archive that ends early must not look like a whole one. When the reader
 * goes away, what is open is closed.
 */
export function sendZip(
  reply: FastifyReply,
  fileName: string,
  entries: AsyncIterable<ZipEntry>,
): FastifyReply {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  zip.on('error', error => output.destroy(error as Error))
  fill(zip, output, entries).catch(error => output.destroy(error))
  return reply
    .headers({
      'content-type': 'application/zip',
      'content-disposition': contentDisposition(fileName),
      'cache-control': 'no-store',
    })
    .send(output)
}

async function fill(zip: ZipFile, output: Readable, entries: AsyncIterable<ZipEntry>): Promise<void> {
  let current: Readable | undefined
  output.once('close', () => current?.destroy())
  for await (const { path, at, content, size } of entries) {
    current = Readable.from(content, { objectMode: false })
    if (output.destroyed) {
      current.destroy()
      return
    }
    // What is a file is compressed already, or small.
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
