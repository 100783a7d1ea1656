import { Readable } from 'node:stream'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

/**
 * What is too long for one read, chunk by chunk. There is no reading ahead: a chunk is read when the one before it has
 * gone out. What breaks half-way cuts the connection, so that nobody takes half of it for the whole.
 */
export function sendChunks(reply: FastifyReply, chunks: AsyncIterable<Uint8Array>): FastifyReply {
  return reply.send(Readable.from(inTurns(chunks), { objectMode: false, highWaterMark: 1 }))
}

/** SQLite reads without a break, and a fast reader takes without one: everybody else gets a turn in between. */
async function* inTurns(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk
    await turnOfTheLoop()
  }
}
