import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { type ResponseReads, readFor } from '../../core/async/response-reads.ts'
import { type Coding, compressing } from './compression.ts'

/**
 * Sends content that is too long for one read, chunk by chunk, without reading ahead: each chunk is read when the
 * previous one has been sent. An error midway cuts the connection, so that the caller cannot mistake a part for the
 * whole.
 */
export function sendChunks(
  reply: FastifyReply,
  chunks: AsyncIterable<Uint8Array>,
  coding?: Coding,
): FastifyReply {
  if (reply.request.raw.httpVersion === '1.0') resetUnlessWhole(reply.raw)
  const content = Readable.from(inTurns(durableChunks(reply.request.reads, chunks)), {
    objectMode: false,
    highWaterMark: 1,
  })
  if (coding === undefined) return reply.send(content)
  reply.header('content-encoding', coding)
  // An error on either side ends the other; Fastify then cuts the response.
  return reply.send(pipeline(content, compressing(coding), () => {}))
}

/** Sends each chunk once the data that it shows is durable. */
export async function* durableChunks<Chunk>(
  reads: ResponseReads | undefined,
  chunks: AsyncIterable<Chunk>,
): AsyncGenerator<Chunk, void, undefined> {
  const iterator = chunks[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await (reads === undefined
        ? iterator.next()
        : readFor(reads, () => iterator.next()))
      if (done === true) return
      await reads?.whenDurable()
      yield value
    }
  } finally {
    await iterator.return?.()
  }
}

/** Yields to the event loop between chunks: SQLite reads synchronously, and a fast reader would block other requests. */
async function* inTurns(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk
    await turnOfTheLoop()
  }
}

/**
 * HTTP/1.0 has no chunks: the response ends with the connection. So an incomplete response must end with a reset,
 * whether Fastify, a timeout or a shutdown cuts it.
 */
function resetUnlessWhole(response: ServerResponse): void {
  const { socket } = response
  if (socket === null) return
  socket.destroy = error => {
    socket.destroy = Socket.prototype.destroy
    return response.writableFinished ? socket.destroy(error) : socket.resetAndDestroy()
  }
}
