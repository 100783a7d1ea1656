import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import { instream } from './connection.ts'
import { readerOf } from './probes.ts'
import { createClamdScanner } from './scanner.ts'

// A real clamd sends none of this. What it does send is tested in scanner.test.ts.
let folder: string
let path: string
let server: Server
const open = new Set<Socket>()

/** A server on a unix socket, whose buffers are small, that handles each connection like this. */
async function peer(behave: (socket: Socket) => void): Promise<void> {
  server = createServer(socket => {
    open.add(socket)
    socket.on('error', () => {})
    behave(socket)
  })
  server.listen(path)
  await once(server, 'listening')
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dossier-peer-'))
  path = join(folder, 'peer')
})

after(() => rm(folder, { recursive: true }))

const waits = { connectMs: 1_000, answerMs: 20_000 }
const file = readerOf(Buffer.alloc(1_000_000))
const text = readerOf(Buffer.from('text'))

describe('replies that a real clamd never sends', () => {
  afterEach(async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of open) socket.destroy()
    open.clear()
    await closed
  })

  test('ignores an OK sent before the end of the file', async () => {
    await peer(socket => socket.once('data', () => socket.write('stream: OK\0')))
    const endless = {
      size: Number.MAX_SAFE_INTEGER,
      read: async (_: number, length: number) => Buffer.alloc(length),
    }
    assert.deepEqual(await instream({ path }, endless, waits), {
      lost: 'it answered before it had the whole file',
    })
  })

  test('ignores an answer without an end', async () => {
    await peer(socket => {
      socket.resume()
      socket.write('x'.repeat(5_000))
    })
    const exchange = await instream({ path }, file, waits)
    assert.deepEqual(exchange, { lost: 'its reply is not one of clamd' })
  })

  test('a connection that closes half-way through an answer gives no verdict', async () => {
    await peer(socket => socket.resume().end('stream: OK'))
    assert.equal('lost' in (await instream({ path }, readerOf(Buffer.alloc(1)), waits)), true)
  })

  test('reads a file in chunks of 64 KiB, and no faster than it is accepted', async () => {
    await peer(socket => socket.pause())
    const asked: number[] = []
    const large = {
      size: 64 * 1024 * 1024,
      async read(_: number, length: number) {
        asked.push(length)
        return Buffer.alloc(length)
      },
    }
    const exchange = await instream({ path }, large, { connectMs: 1_000, answerMs: 1_000 })
    assert.deepEqual(exchange, { lost: 'no answer within 1000 ms' })
    assert.deepEqual(new Set(asked), new Set([65_536]))
    // The socket buffer of the system, and one chunk.
    assert.ok(asked.length < 64, `${asked.length} chunks`)
  })

  /** Passes the proof like clamd, then answers each file as given. */
  function scripted(answers: string[]): (socket: Socket) => void {
    const beyond = 'stream: Heuristics.Limits.Exceeded.MaxScanSize FOUND'
    const found = 'stream: Eicar FOUND'
    const documents = Array<string>(5).fill(found)
    const queue = [found, beyond, ...documents, beyond, found, ...answers]
    let session: Socket | undefined
    return socket => {
      let received = Buffer.alloc(0)
      socket.on('data', (more: Buffer) => {
        received = Buffer.concat([received, more])
        const pings = received.toString('latin1').split('zPING\0').length - 1
        if (pings > 0) {
          session = socket
          socket.write(`${pings}: PONG\0`)
        } else if (isWholeStream(received)) {
          const answer = queue.shift()
          if (answer === hangUp) session?.end().once('close', () => socket.write('stream: OK\0'))
          else socket.write(`${answer}\0`)
        }
      })
    }
  }

  function isWholeStream(received: Buffer): boolean {
    let at = 'zINSTREAM\0'.length
    while (at + 4 <= received.length) {
      const length = received.readUInt32BE(at)
      if (length === 0) return true
      at += 4 + length
    }
    return false
  }

  const hangUp = 'OK after the end of the session'

  function scanner() {
    const limits = {
      fileBytes: 1_000,
      scanMs: 20_000,
      scanConnectMs: 1_000,
      scansAtOnce: 1,
      scannerProofSeconds: 600,
      scannerRetrySeconds: 5,
    }
    const never = (fault: unknown) => assert.fail(String(fault))
    return createClamdScanner({
      url: `unix://${path}`,
      limits,
      onFault: never,
      onWarning: never,
    })
  }

  test('an OK counts only during the session in which the scanner was proven', async () => {
    await peer(scripted(['stream: OK', hangUp]))
    const { scan } = scanner()
    assert.equal(await scan(text), 'clean')
    assert.equal(await scan(text), 'unscanned')
  })

  test('accepts only the exact replies of clamd as verdicts', async () => {
    const states: [answer: string, state: string][] = [
      ['stream: OK', 'clean'],
      ['stream: Win.Test.EICAR_HDB-1 FOUND', 'infected'],
      ['stream: Win.Test.EICAR_HDB-1(44d88612fea8a8f36de82e1278abb02f:68) FOUND', 'infected'],
      ['stream: Heuristics.Limits.Exceeded.MaxScanTime FOUND', 'unscanned'],
      ['stream: Heuristics.Limits.Exceeded FOUND', 'not-judged'],
      ['stream: Heuristics.Encrypted.PDF FOUND', 'not-judged'],
      ["stream: Can't allocate memory ERROR", 'unscanned'],
      ['INSTREAM size limit exceeded. ERROR', 'not-judged'],
      ['stream: ok', 'unscanned'],
      ['OK', 'unscanned'],
      ['stream: OK\n', 'unscanned'],
      ['stream: Eicar ERROR OK', 'unscanned'],
      ['UNKNOWN COMMAND', 'unscanned'],
      ['HTTP/1.1 200 OK', 'unscanned'],
      ['', 'unscanned'],
    ]
    await peer(scripted(states.map(([answer]) => answer)))
    const { scan, close } = scanner()
    for (const [answer, state] of states) {
      assert.equal(await scan(text), state, answer)
    }
    close()
  })
})
