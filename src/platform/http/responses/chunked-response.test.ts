import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { sendChunks } from './chunked-response.ts'

test('other requests get a turn between two chunks, even when all chunks are available at once', async t => {
  const app = Fastify()
  t.after(() => app.close())
  let turns = 0
  let next: NodeJS.Immediate | undefined
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  const turnOfChunk: number[] = []
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let chunk = 0; chunk < 100; chunk++) {
      turnOfChunk.push(turns)
      yield Buffer.from('.')
    }
  }
  app.get('/', (_request, reply) => {
    count()
    return sendChunks(reply, chunks())
  })
  const answer = await fetch(await app.listen({ port: 0, host: '127.0.0.1' }))
  assert.equal(await answer.text(), '.'.repeat(100))
  clearImmediate(next)
  assert.deepEqual(turnOfChunk, [...new Set(turnOfChunk)])
})

test('a chunk is requested when the one before it has been taken, and a failure cuts the response', async t => {
  const app = Fastify()
  t.after(() => app.close())
  let asked = 0
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (; asked < 1_000; asked++) yield Buffer.alloc(1_000_000)
    throw new Error('broken')
  }
  app.get('/', (_request, reply) => sendChunks(reply, chunks()))
  const answer = await fetch(await app.listen({ port: 0, host: '127.0.0.1' }))
  assert.equal(answer.status, 200)
  assert.ok(asked < 100, String(asked))
  asked = 995
  await assert.rejects(text(answer.body as never))
})

for (const coding of ['zstd', 'br', 'gzip'] as const) {
  test(`${coding}: a failure cuts the response short, and the bytes before it arrive`, async t => {
    const app = Fastify()
    t.after(() => app.close())
    const isRead = Promise.withResolvers<void>()
    let isOver = false
    async function* chunks(): AsyncGenerator<Uint8Array> {
      try {
        yield Buffer.from('first')
        await isRead.promise
        throw new Error('broken')
      } finally {
        isOver = true
      }
    }
    app.get('/', (_request, reply) => sendChunks(reply, chunks(), coding))
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
    const [answer] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage]
    assert.equal(answer.headers['content-encoding'], coding)
    await once(answer, 'data')
    isRead.resolve()
    await assert.rejects(text(answer))
    assert.ok(isOver)
  })
}

/** HTTP/1.0 has neither a length nor chunks here: the end of the connection is the end of the response. */
const ways: [how: string, cut: (app: FastifyInstance) => void][] = [
  ['what breaks', () => {}],
  ['a server that stops', app => app.server.closeAllConnections()],
]
for (const [how, cut] of ways) {
  test(`HTTP/1.0: ${how} resets the connection, so that half a response does not look complete`, async t => {
    const app = Fastify()
    t.after(() => app.close())
    const isRead = Promise.withResolvers<void>()
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('first')
      await isRead.promise
      throw new Error('broken')
    }
    app.get('/', (_request, reply) => sendChunks(reply, chunks()))
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
    const client = connect(Number(port), '127.0.0.1')
    client.write('GET / HTTP/1.0\r\n\r\n')
    await once(client, 'data')
    cut(app)
    isRead.resolve()
    await assert.rejects(text(client), { code: 'ECONNRESET' })
  })
}

test('HTTP/1.0: a complete response ends normally', async t => {
  const app = Fastify()
  t.after(() => app.close())
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < 20; i++) yield Buffer.alloc(100_000)
  }
  app.get('/', (_request, reply) => sendChunks(reply, chunks()))
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const client = connect(Number(port), '127.0.0.1')
  client.write('GET / HTTP/1.0\r\n\r\n')
  const [, body = ''] = (await text(client)).split('\r\n\r\n')
  assert.equal(body.length, 2_000_000)
})
