import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, harbour } from '../harness/http.ts'
import { onOneEngine, type Service } from '../harness/service.ts'
import { listPath, plainRequest, problem, send } from './reading.ts'

const kib = 1024
const host = (service: Service): string => `Host: ${new URL(service.baseUrl).host}\r\n`
const credential = `Authorization: ${harbour.authorization}\r\n`

/** Bytes that no HTTP server should accept as a request. */
const unreadable: [what: string, bytes: (service: Service) => string][] = [
  ['garbage', () => 'GARBAGE\r\n\r\n'],
  ['a binary greeting', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
  ['no HTTP version', service => `GET ${listPath} please\r\n${host(service)}\r\n`],
  ['a method that is none', service => `G@T ${listPath} HTTP/1.1\r\n${host(service)}\r\n`],
  ['no Host', () => `GET ${listPath} HTTP/1.1\r\n${credential}Connection: close\r\n\r\n`],
  [
    'two Hosts',
    service =>
      `GET ${listPath} HTTP/1.1\r\n${host(service)}Host: localhost\r\n${credential}Connection: close\r\n\r\n`,
  ],
  ['CONNECT', () => 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n'],
  ['a header without a colon', service => `GET ${listPath} HTTP/1.1\r\n${host(service)}nothing\r\n\r\n`],
  ['a blank in a header name', service => `GET ${listPath} HTTP/1.1\r\n${host(service)}X Y: 1\r\n\r\n`],
  ['a NUL in a header', service => `GET ${listPath} HTTP/1.1\r\n${host(service)}X: a\0b\r\n\r\n`],
  ['a NUL in the path', service => `GET ${listPath}/resume/1\0 HTTP/1.1\r\n${host(service)}\r\n`],
  [
    'two lengths that differ',
    service =>
      `POST ${listPath} HTTP/1.1\r\n${host(service)}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
  ],
  [
    'a length and chunks',
    service =>
      `POST ${listPath} HTTP/1.1\r\n${host(service)}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    'a length that is none',
    service => `POST ${listPath} HTTP/1.1\r\n${host(service)}Content-Length: -1\r\n\r\n`,
  ],
]

onOneEngine('the HTTP layer', service => {
  for (const [what, bytes] of unreadable) {
    test(`${what} is a 400 with everything a response must carry`, async () => {
      const answer = await send(service(), bytes(service()))
      problem(service(), answer, 400, 'bad-request')
      assert.equal(answer.headers.get('content-length'), `${answer.bytes.length}`)
      assert.equal(answer.headers.get('connection')?.toLowerCase(), 'close')
    })
  }

  test('an Expect that cannot be met is a 417 that keeps the request id', async () => {
    const answer = await send(
      service(),
      plainRequest(service(), listPath, { Expect: 'wonders', 'X-Request-Id': 'mine' }),
    )
    problem(service(), answer, 417, 'expectation-failed')
    assert.equal(answer.headers.get('x-request-id'), 'mine')
  })

  test('garbage after a valid request does not suppress its response', async () => {
    const good = `GET ${listPath}?limit=1 HTTP/1.1\r\n${host(service())}${credential}\r\n`
    assert.equal((await send(service(), `${good}GARBAGE\r\n\r\n`)).status, 200)
  })

  test('another spelling of a known path is a 405 as well', async () => {
    for (const target of [`${service().baseUrl}${listPath}`, listPath.replace('a', '%61')]) {
      const request = plainRequest(service(), target).replace('GET', 'DELETE')
      const answer = await send(service(), request)
      problem(service(), answer, 405, 'method-not-allowed')
      assert.equal(answer.headers.get('allow'), 'GET, HEAD')
    }
  })

  test('each of them gets its own request ID', async () => {
    const first = await send(service(), 'GARBAGE\r\n\r\n')
    const second = await send(service(), 'GARBAGE\r\n\r\n')
    assert.notEqual(first.headers.get('x-request-id'), second.headers.get('x-request-id'))
  })

  test('garbage does not affect later requests', async () => {
    await send(service(), 'GARBAGE\r\n\r\n')
    assert.equal((await call(service(), listPath, { headers: harbour })).status, 200)
  })

  const padded = (bytes: number): string => `${listPath}?limit=1&x=`.padEnd(bytes, 'y')

  test('a URL of 16 KiB is accepted, one byte more is a 414', async () => {
    assert.equal((await call(service(), padded(16 * kib), { headers: harbour })).status, 200)
    for (const bytes of [16 * kib + 1, 17 * kib]) {
      problem(service(), await call(service(), padded(bytes), { headers: harbour }), 414, 'uri-too-long')
    }
  })

  test('a URL that is too long is a 414 on any path and without a credential', async () => {
    for (const path of ['/', '/v1/nothing', `${listPath}/resume/`]) {
      problem(service(), await call(service(), path.padEnd(17 * kib, '1')), 414, 'uri-too-long')
    }
  })

  /** A request whose header lines have this many bytes in total, each line with its end. */
  function withHeaders(bytes: number, headers: Record<string, string> = {}): string {
    const request = (padding: string) =>
      plainRequest(service(), `${listPath}?limit=1`, { ...headers, ...harbour, 'X-Padding': padding })
    const min = request('')
    const used = min.length - min.indexOf('\r\n') - 4
    return request('y'.repeat(bytes - used))
  }

  test('headers of 16 KiB are accepted, one byte more is a 431', async () => {
    assert.equal((await send(service(), withHeaders(16 * kib))).status, 200)
    for (const bytes of [16 * kib + 1, 17 * kib]) {
      problem(service(), await send(service(), withHeaders(bytes)), 431, 'headers-too-large')
    }
  })

  test('their number does not matter', async () => {
    const tiny = Object.fromEntries(Array.from({ length: 1_300 }, (_, i) => [`a${i}`, '']))
    assert.equal((await send(service(), withHeaders(16 * kib, tiny))).status, 200)
    problem(service(), await send(service(), withHeaders(16 * kib + 1, tiny)), 431, 'headers-too-large')
  })

  test('many small headers count together', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 170 }, (_, i) => [`x-padding-${i}`, 'y'.repeat(100)]),
    )
    const answer = await call(service(), listPath, { headers: { ...harbour, ...many } })
    problem(service(), answer, 431, 'headers-too-large')
  })

  test('a long URL and long headers, each within its limit, are accepted', async () => {
    const headers = { ...harbour, 'x-padding': 'y'.repeat(15 * kib) }
    assert.equal((await call(service(), padded(16 * kib), { headers })).status, 200)
  })

  test('a request that overflows the parser itself is rejected all the same', async () => {
    const headers = await send(
      service(),
      plainRequest(service(), listPath, { 'X-Padding': 'y'.repeat(60 * kib) }),
    )
    problem(service(), headers, 431, 'headers-too-large')
    const url = await send(service(), plainRequest(service(), padded(60 * kib)))
    assert.ok([414, 431].includes(url.status), `${url.status}`)
    problem(service(), url, url.status, url.status === 414 ? 'uri-too-long' : 'headers-too-large')
  })

  test('an expectation that cannot be met still gets a complete response', async () => {
    const answer = await send(
      service(),
      plainRequest(service(), listPath, { ...harbour, Expect: 'miracles' }),
    )
    assert.ok([200, 417].includes(answer.status), `${answer.status}`)
  })

  test('an unsupported upgrade is answered as a plain request', async () => {
    const bytes = plainRequest(service(), '/v1/nothing', {
      Upgrade: 'websocket',
      Connection: 'Upgrade, close',
    })
    problem(service(), await send(service(), bytes), 404, 'no-such-route')
  })

  test('an absolute URL in the request line is understood', async () => {
    const answer = await send(service(), plainRequest(service(), service().baseUrl + listPath, harbour))
    assert.equal(answer.status, 200)
  })
})
