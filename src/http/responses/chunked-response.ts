import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { type Coding, compressing } from './compression.ts'

/**
 * What is too long for one read, chunk by chunk. There is no reading ahead: a chunk is read when the one before it has
 * gone out. What breaks half-way cuts the connection, so that nobody takes half of it for the whole.
 */
export function sendChunks(
  reply: FastifyReply,
  chunks: AsyncIterable<Uint8Array>,
  coding?: Coding,
): FastifyReply {
  if (reply.request.raw.httpVersion === '1.0') resetUnlessWhole(reply.raw)
  const content = Readable.from(inTurns(chunks), { objectMode: false, highWaterMark: 1 })
  if (coding === undefined) return reply.send(content)
  reply.header('content-encoding', coding)
  // What breaks on either side ends the other; the answer is cut by whoever sends it.
  return reply.send(pipeline(content, compressing(coding), () => {}))
}

/** SQLite reads without a break, and a fast reader takes without one: everybody else gets a turn in between. */
async function* inTurns(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk
    await turnOfTheLoop()
  }
}

/**
 * Where chunks are not known, the end of the connection is the end of the answer: whoever cuts it, be it Fastify, a
 * timeout or a stop, must not end it in good order.
 */
function resetUnlessWhole(response: ServerResponse): void {
  const { socket } = response
  if (socket === null) return
  socket.destroy = error => {
    socket.destroy = Socket.prototype.destroy
    return response.writableFinished ? socket.destroy(error) : socket.resetAndDestroy()
  }
}
