import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { noAllowedHosts, readAllowedHosts } from '../../platform/core/addresses/public-addresses.ts'
import { createResolve } from './name-adapter.ts'
import type { ResolveName } from './ports.ts'
import { createWebhookPost } from './post-adapter.ts'

const now = Date.parse('2026-11-14T00:00:00Z')
let answer: RequestListener = (_request, response) => response.end()
let connections = 0
const server = createServer((request, response) => answer(request, response))
server.on('connection', () => {
  connections += 1
})
let port = 0
before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
after(() => {
  server.closeAllConnections()
  server.close()
})

const inHouse = readAllowedHosts('127.0.0.1,receiver.test')
const loopback = async () => [{ address: '127.0.0.1', family: 4 }]

const createPost = (allowed = inHouse, resolve: ResolveName = loopback, webhookAttemptSeconds = 15) =>
  createWebhookPost({
    allowed: () => allowed,
    clock: () => now,
    resolve,
    attemptSeconds: webhookAttemptSeconds,
  })
const inHaste = () => createPost(inHouse, loopback, 0.3)

async function sendTo(url: string, post = createPost()) {
  try {
    return await post.send({ url, headers: { 'webhook-id': 'evt_1_2' }, body: '{}' })
  } finally {
    await post.close()
  }
}

test('the answer is told by its status; only the beginning of a failed one is kept, as text', async () => {
  const seen: unknown[] = []
  answer = async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    seen.push([request.method, request.headers['webhook-id'], request.headers.host, body])
    response.end('fine')
  }
  const accepted = await sendTo(`http://127.0.0.1:${port}/hooks`)
  assert.deepEqual([accepted.outcome, accepted.status, accepted.answer], ['accepted', 200, null])
  assert.deepEqual(seen, [['POST', 'evt_1_2', `127.0.0.1:${port}`, '{}']])

  answer = (_request, response) => {
    response.writeHead(422, { 'content-type': 'text/plain', date: 'Sat, 14 Nov 2026 00:07:00 GMT' })
    response.end(`no\u0007\u202e such${'x'.repeat(1000)}`)
  }
  const refused = await sendTo(`http://127.0.0.1:${port}/`)
  assert.deepEqual([refused.outcome, refused.status, refused.skewMs], ['refused', 422, 7 * 60_000])
  assert.match(refused.answer ?? '', /^no {2}suchx{400,512}$/)

  answer = (_request, response) => {
    response.writeHead(503, { 'content-type': 'image/png', 'retry-after': '120' }).end('secret')
  }
  const busy = await sendTo(`http://127.0.0.1:${port}/`)
  assert.deepEqual([busy.status, busy.answer, busy.retryAfterMs], [503, null, 120_000])
})

test('redirects are not followed', async () => {
  let requests = 0
  answer = (_request, response) => {
    requests += 1
    response.writeHead(307, { location: `http://127.0.0.1:${port}/private` }).end()
  }
  const { outcome, status } = await sendTo(`http://127.0.0.1:${port}/`)
  assert.deepEqual([outcome, status, requests], ['refused', 307, 1])
})

test('one deadline covers an answer that hangs, drips or never ends', async () => {
  answer = () => {}
  assert.equal((await sendTo(`http://127.0.0.1:${port}/`, inHaste())).outcome, 'timeout')

  answer = (_request, response) => {
    response.writeHead(500)
    const drip = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(drip))
  }
  assert.equal((await sendTo(`http://127.0.0.1:${port}/`, inHaste())).outcome, 'timeout')

  answer = (_request, response) => {
    response.writeHead(200)
    const flood = () => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
    }
    response.on('drain', flood)
    flood()
  }
  assert.equal((await sendTo(`http://127.0.0.1:${port}/`)).outcome, 'accepted')

  answer = request => request.socket.destroy()
  assert.equal((await sendTo(`http://127.0.0.1:${port}/`)).outcome, 'cut')
})

test('the deadline covers the look-up of the name, and nothing is sent after it', async () => {
  let requests = 0
  answer = (_request, response) => {
    requests += 1
    response.end()
  }
  const { promise: looked, resolve: found } = Promise.withResolvers<Awaited<ReturnType<typeof loopback>>>()
  const post = createPost(inHouse, () => looked, 0.05)
  const url = `http://receiver.test:${port}/`
  assert.equal((await post.send({ url, headers: {}, body: '{}' })).outcome, 'timeout')
  const connected = once(server, 'connection')
  found(await loopback())
  // The connection is there, and its request is given up before it is written.
  const [socket] = await connected
  await once(socket, 'close')
  assert.equal(requests, 0)
  await post.close()
})

test('a request that is cut off ends at once', async () => {
  const { promise: received, resolve } = Promise.withResolvers<void>()
  answer = () => resolve()
  const post = createPost()
  const cut = new AbortController()
  const url = `http://127.0.0.1:${port}/`
  const sent = post.send({ url, headers: {}, body: '{}', signal: cut.signal })
  await received
  cut.abort()
  assert.equal((await sent).outcome, 'cut')
  const late = await post.send({ url, headers: {}, body: '{}', signal: cut.signal })
  assert.equal(late.outcome, 'cut')
  await post.close()
})

test('other failures have names', async () => {
  assert.equal((await sendTo('http://127.0.0.1:1/')).outcome, 'connect')
  assert.equal((await sendTo(`https://127.0.0.1:${port}/`)).outcome, 'tls')
  // A name server that refuses connections is not a receiver that does.
  const unanswered = createResolve({ deadlineMs: 60_000, searches: () => false, servers: ['127.0.0.1:1'] })
  assert.equal((await sendTo('http://receiver.test/', createPost(inHouse, unanswered))).outcome, 'dns')
})

test('no connection is made to an address that is not public, however it is spelled or resolved', async () => {
  answer = (_request, response) => response.end()
  const before = connections
  const spellings = [
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '127。0。0。1',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
  ]
  for (const host of spellings) {
    const { outcome } = await sendTo(`http://${host}:${port}/`, createPost(noAllowedHosts))
    assert.equal(outcome, 'address', host)
  }
  const answers = [
    ['127.0.0.1'],
    ['10.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['fe80::1'],
    // A mixed answer is a sign of rebinding.
    ['1.1.1.1', '127.0.0.1'],
  ]
  for (const addresses of answers) {
    const resolve = async () => addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
    const { outcome } = await sendTo(
      `http://127.0.0.1.nip.test:${port}/`,
      createPost(noAllowedHosts, resolve),
    )
    assert.equal(outcome, 'address', addresses.join())
  }
  assert.equal(connections, before)
})

test('the socket goes to the address that was judged: a name is resolved once for each connection', async () => {
  answer = (_request, response) => response.end()
  let looks = 0
  const changing = async () => {
    looks += 1
    return [{ address: looks === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]
  }
  const post = createPost(readAllowedHosts('127.0.0.1'), changing)
  const first = await post.send({ url: `http://rebind.test:${port}/`, headers: {}, body: '' })
  assert.deepEqual([first.outcome, looks], ['accepted', 1])
  await post.close()
  const other = createPost(readAllowedHosts('127.0.0.1'), changing)
  assert.equal(
    (await other.send({ url: `http://rebind.test:${port}/`, headers: {}, body: '' })).outcome,
    'address',
  )
  await other.close()
})
