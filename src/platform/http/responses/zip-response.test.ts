import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import Fastify from 'fastify'
import { readZip } from '../../../../test/harness/zip.ts'
import { sendZip, type ZipEntry } from './zip-response.ts'

const app = Fastify()
let entries: () => AsyncIterable<ZipEntry>
let closed: Promise<unknown>
app.get('/', (_request, reply) => {
  closed = once(reply.raw, 'close')
  return sendZip(reply, 'all of it.zip', entries())
})
before(() => app.listen({ port: 0, host: '127.0.0.1' }))
after(() => app.close())

async function download(): Promise<IncomingMessage> {
  const { port } = app.server.address() as AddressInfo
  const [answer] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage]
  return answer
}

async function* textOf(...parts: string[]): AsyncGenerator<string> {
  yield* parts
}

test('sends one entry after the other, each opened when the one before is complete', async () => {
  let open = 0
  const file = (text: string) => {
    open += 1
    assert.equal(open, 1)
    return Readable.from([Buffer.from(text)]).on('close', () => {
      open -= 1
    })
  }
  entries = async function* () {
    yield { path: 'README.txt', at: 1_794_614_400_000, content: textOf('read ', 'me') }
    for (const name of ['a', 'b', 'c'])
      yield { path: `files/${name}.bin`, at: 1_794_614_400_000, content: file(name), size: 1 }
  }
  const answer = await download()
  assert.equal(answer.headers['content-type'], 'application/zip')
  assert.equal(answer.headers['content-disposition'], 'attachment; filename="all of it.zip"')
  assert.equal(answer.headers['cache-control'], 'no-store')
  const files = await readZip(await buffer(answer))
  assert.deepEqual(
    [...files].map(([name, content]) => [name, content.toString()]),
    [
      ['README.txt', 'read me'],
      ['files/a.bin', 'a'],
      ['files/b.bin', 'b'],
      ['files/c.bin', 'c'],
    ],
  )
})

const broken: Record<string, () => AsyncGenerator<ZipEntry>> = {
  'a file that cannot be read to its end': async function* () {
    const content = Readable.from(
      (async function* () {
        yield Buffer.alloc(200_000)
        throw new Error('the disk is gone')
      })(),
    )
    yield { path: 'a', at: 0, content, size: 400_000 }
    yield { path: 'b', at: 0, content: textOf('never') }
  },
  'a file that is shorter than it should be': async function* () {
    yield { path: 'a', at: 0, content: Readable.from([Buffer.alloc(200_000)]), size: 400_000 }
    yield { path: 'b', at: 0, content: textOf('never') }
  },
  'a database that goes away': async function* () {
    yield { path: 'a', at: 0, content: textOf('x'.repeat(100)) }
    throw new Error('the database is gone')
  },
}

for (const [name, made] of Object.entries(broken)) {
  test(`${name} cuts the connection: a partial archive does not look complete`, async () => {
    entries = made
    const answer = await download()
    await assert.rejects(buffer(answer), /aborted/)
    assert.equal(answer.complete, false)
  })
}

test('closes open files when the reader disconnects', async () => {
  const ended = Promise.withResolvers<void>()
  const content = new Readable({
    read() {
      this.push(Buffer.alloc(65_536))
    },
  })
  entries = async function* () {
    try {
      yield { path: 'endless', at: 0, content, size: 1e12 }
    } finally {
      ended.resolve()
    }
  }
  const answer = await download()
  await once(answer, 'data')
  answer.destroy()
  await ended.promise
  if (!content.closed) await once(content, 'close')
})

test('closes a file that is opened after the reader disconnected', async () => {
  const gone = Promise.withResolvers<void>()
  const content = new Readable({ read() {} })
  entries = async function* () {
    yield { path: 'first', at: 0, content: textOf('x'.repeat(100)) }
    await gone.promise
    yield { path: 'second', at: 0, content, size: 1 }
  }
  const answer = await download()
  await once(answer, 'data')
  answer.destroy()
  await closed
  gone.resolve()
  if (!content.closed) await once(content, 'close')
})
