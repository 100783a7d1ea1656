import assert from 'node:assert/strict'
import { request as requestPlain } from 'node:http'
import { connect } from 'node:http2'
import { request } from 'node:https'
import { test } from 'node:test'
import { startCaddy } from '../harness/caddy.ts'
// The long run installs Caddy.
import '../harness/effort.ts'
import { freePort } from '../harness/free-port.ts'
import { logLines } from '../harness/serving.ts'
import { answerTo, secret, secretLinks } from '../harness/tls-requests.ts'
import { databaseFor, serveHereFor } from '../process/support.ts'

const domain = 'jobs.example.com'

test('behind Caddy with the shipped file: TLS, HTTP/2, HSTS, restarts that no caller notices, and no secret in a log', async t => {
  const database = await databaseFor(t, 'sqlite')
  const upstream = await freePort()
  const env = { BASE_URL: `https://${domain}`, TRUSTED_PROXIES: '127.0.0.1', PORT: String(upstream) }
  const first = await serveHereFor(t, database, { env })
  const caddy = await startCaddy(domain, `127.0.0.1:${upstream}`)
  t.after(() => caddy.stop())
  const { port, ca, plainPort } = caddy
  // Neither a caller's own address nor another host can be claimed.
  const headers = { host: domain, 'x-forwarded-for': '203.0.113.9', 'x-forwarded-host': 'evil.example.com' }
  const overTls = (path: string) =>
    answerTo(request, { host: '127.0.0.1', port, servername: domain, ca, path, headers, agent: false })

  const home = await overTls('/')
  assert.equal(home.status, 200)
  assert.equal(home.headers['strict-transport-security'], 'max-age=31536000')
  assert.doesNotMatch(JSON.stringify(home.headers), /evil/)
  const plain = await answerTo(requestPlain, {
    host: '127.0.0.1',
    port: plainPort,
    path: '/jobs?page=2',
    headers,
  })
  assert.equal(plain.status, 308)
  assert.match(String(plain.headers.location), /^https:\/\/jobs\.example\.com(:\d+)?\/jobs\?page=2$/)
  assert.equal(await overHttp2(`https://127.0.0.1:${port}`, ca, '/health/ready'), 200)
  for (const link of secretLinks) assert.notEqual((await overTls(link)).status, 502)

  await first.stop()
  const waiting = overTls('/health/live')
  const second = await serveHereFor(t, database, { env })
  assert.equal((await waiting).status, 200)
  await second.stop()
  const failed = await Promise.all([...secretLinks, '/jobs?q=secret'].map(overTls))
  for (const { status } of failed) assert.ok(status === 502 || status === 503, String(status))
  assert.match(caddy.log(), /"uri":"\/jobs\?-"/, 'the log is read where it is written')
  for (const log of [caddy.log(), first.log(), second.log()]) assert.ok(!log.includes(secret), log)
  assert.doesNotMatch(caddy.log(), /q=secret|203\.0\.113\.9/)
  assert.ok(!first.log().includes('TRUSTED_PROXIES'))
  assert.ok(logLines(first.log()).some(({ msg }) => msg === 'request'))
})

function overHttp2(origin: string, ca: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const session = connect(origin, { ca, servername: domain }).on('error', reject)
    session
      .request({ ':path': path, ':authority': domain })
      .on('response', ({ ':status': status }) => {
        session.close()
        resolve(Number(status))
      })
      .on('error', reject)
      .resume()
      .end()
  })
}
