import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../harness/http.ts'
import { findLogLine } from '../harness/process.ts'
import type { Service } from '../harness/service.ts'
import { requestLine } from '../harness/serving.ts'
import { listPath, prepareTenant } from '../harness/tenant.ts'
import { databaseFor, isRefused, runHere, serveHereFor } from './support.ts'

test('metrics are on the admin port only, and count requests', async t => {
  const database = await databaseFor(t, 'sqlite', 'empty')
  const { headers, credential } = await prepareTenant(database)
  const serving = await serveHereFor(t, database)
  const path = `${listPath}?limit=1`
  const answer = await call(serving, path, { headers })
  await requestLine(serving, String(answer.headers.get('x-request-id')))

  assert.equal((await call(serving, '/metrics')).status, 404)
  const metrics = await fetch(`${serving.adminUrl}/metrics`)
  assert.equal(metrics.status, 200)
  assert.match(String(metrics.headers.get('content-type')), /^text\/plain/)
  assert.ok(metrics.headers.get('x-request-id'))
  const figures = await metrics.text()
  const labels = `method="GET",route="${listPath}",status="200"`
  assert.match(figures, new RegExp(`^dossier_http_request_duration_seconds_count\\{${labels}\\} 1$`, 'm'))
  assert.match(figures, /^dossier_http_requests_in_flight(\{.*\})? \d+$/m)
  assert.match(figures, /^dossier_process_resident_memory_bytes \d+$/m)
  assert.ok(!figures.includes(credential))
  // Nothing else is there.
  assert.equal((await fetch(`${serving.adminUrl}${path}`, { headers })).status, 404)
  await serving.stop()
})

test('by default it listens on 127.0.0.1 and, if available, on ::1', async t => {
  const serving = await serveHereFor(t, await databaseFor(t, 'sqlite', 'empty'), { env: { HOST: '' } })
  const listening = findLogLine(serving.log(), 'listening')
  assert.equal(listening?.['baseUrl'], `http://localhost:${serving.port}`)
  const addresses = (await hasIpv6Loopback()) ? ['127.0.0.1', '::1'] : ['127.0.0.1']
  for (const host of addresses) {
    assert.equal(await isRefused(serving.port, host), false, `nobody listens on ${host}`)
    const fine = await exchange(
      serving,
      host,
      'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )
    assert.match(fine, /^HTTP\/1\.1 200 OK\r\n/)
    // Requests that Node rejects before they are parsed get our headers too, on every address.
    const refused = await exchange(serving, host, 'GARBAGE\r\n\r\n')
    assert.match(refused, /^HTTP\/1\.1 400 Bad Request\r\n/)
    for (const answer of [fine, refused]) {
      assert.match(answer, /^x-request-id: [\w.-]+\r$/im)
      assert.match(answer, /^x-content-type-options: nosniff\r$/im)
    }
  }
  await serving.stop()
  for (const host of addresses) assert.equal(await isRefused(serving.port, host), true)
})

async function exchange({ port }: Service, host: string, bytes: string): Promise<string> {
  const socket = connect({ host, port })
  socket.write(bytes)
  return text(socket)
}

async function hasIpv6Loopback(): Promise<boolean> {
  const server = createServer().listen(0, '::1')
  const isThere = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  server.close()
  return isThere
}

const failuresAllowed = 2
const env = { RATE_LIMIT_AUTH_FAILURES_PER_ADDRESS_PER_MINUTE: String(failuresAllowed) }

test('X-Forwarded-For is believed only from a trusted proxy, up to the first untrusted address', async t => {
  const database = await databaseFor(t, 'sqlite', 'empty')
  const serving = await serveHereFor(t, database, {
    env: { ...env, TRUSTED_PROXIES: '127.0.0.2, 10.0.0.0/8' },
  })
  await untilAMinuteHasTimeLeft()
  const viaProxy = (forwarded: string) => failFrom(serving, '127.0.0.2', forwarded)
  // Each caller behind the proxy has a count of its own.
  assert.deepEqual(await inTurn(viaProxy, ['198.51.100.1', '198.51.100.1', '198.51.100.1']), [401, 401, 429])
  assert.equal(await viaProxy('198.51.100.2'), 401)
  // Several proxies in a row: the last address that is not one of ours counts, not what the caller wrote before it.
  const chains = ['192.0.2.1, 198.51.100.3, 10.1.2.3', '192.0.2.2, 198.51.100.3', '198.51.100.3']
  assert.deepEqual(await inTurn(viaProxy, chains), [401, 401, 429])
  assert.equal(findLogLine(serving.log(), ignored), undefined)
  // From elsewhere the connection's own address counts.
  const direct = (forwarded: string) => failFrom(serving, '127.0.0.3', forwarded)
  assert.deepEqual(await inTurn(direct, ['192.0.2.3', '192.0.2.4', '192.0.2.5']), [401, 401, 429])
  // Noticed, but once.
  const noticed = await serving.running.until(stdout => findLogLine(stdout, ignored))
  assert.equal(noticed['address'], '127.0.0.3')
  await serving.stop()
  assert.equal(serving.log().split(ignored).length - 1, 1)
  const doctor = (trusted: string) => runHere(['doctor'], { ...database.settings, TRUSTED_PROXIES: trusted })
  const before = await doctor('127.0.0.2')
  assert.equal(before.code, 1)
  assert.match(
    before.stdout,
    /^WRONG {2}proxy +127\.0\.0\.3 sends .*, which are ignored\. If it is your proxy, add its address to TRUSTED_PROXIES/m,
  )
  assert.equal((await doctor('127.0.0.2, 127.0.0.3')).code, 0)
})

const ignored =
  'forwarding headers from an address that is not in TRUSTED_PROXIES are ignored: if it is your proxy, add its address'

test('without TRUSTED_PROXIES no X-Forwarded-For is believed', async t => {
  const serving = await serveHereFor(t, await databaseFor(t, 'sqlite', 'empty'), { env })
  await untilAMinuteHasTimeLeft()
  const fail = (forwarded: string) => failFrom(serving, '127.0.0.1', forwarded)
  assert.deepEqual(await inTurn(fail, ['192.0.2.1', '192.0.2.2', '192.0.2.3']), [401, 401, 429])
  assert.equal(await failFrom(serving, '127.0.0.4', '192.0.2.1'), 401)
  await serving.stop()
})

/** The limits count in whole minutes of the clock, and compared requests must fall into the same one. */
async function untilAMinuteHasTimeLeft(): Promise<void> {
  const leftMs = 60_000 - (Date.now() % 60_000)
  if (leftMs < 8_000) await sleep(leftMs)
}

async function inTurn<T>(send: (value: T) => Promise<number>, values: T[]): Promise<number[]> {
  const statuses: number[] = []
  for (const value of values) statuses.push(await send(value))
  return statuses
}

/** The status of a request without a credential from this address of the machine. */
function failFrom({ port }: Service, localAddress: string, forwarded: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-forwarded-for': forwarded }
    request({ host: '127.0.0.1', port, path: listPath, localAddress, headers }, response => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })
}
