import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { call } from '../harness/http.ts'
import { until, untilStatus } from '../harness/polling.ts'
import { findLogLine } from '../harness/process.ts'
import { RawClient } from '../harness/raw-client.ts'
import { logLines } from '../harness/serving.ts'
import { listPath, prepareTenant, type Tenant } from '../harness/tenant.ts'
import { isRefused, serveFor, serveHereFor } from './support.ts'

describe('how a node shuts down', () => {
  let database: TestDatabase
  let tenant: Tenant
  before(async () => {
    database = await createTestDatabase('sqlite', 'empty')
    tenant = await prepareTenant(database)
  })
  after(() => database.remove())

  test('SHUTDOWN_DELAY_SECONDS: it reports at once that it is not ready, and serves as before', async t => {
    // Longer than any test may take: everything checked happens within it.
    const serving = await serveFor(t, database, { env: { SHUTDOWN_DELAY_SECONDS: '600' } })
    await untilStatus(serving, '/health/ready', 200)
    serving.running.child.kill('SIGTERM')
    await serving.running.until(stdout => findLogLine(stdout, 'stopping') && true)

    const ready = await call(serving, '/health/ready')
    assert.deepEqual([ready.status, ready.json().code], [503, 'shutting-down'])
    assert.equal((await call(serving, '/health/live')).status, 200)
    // On a connection that it accepts now, and keeps.
    const client = await RawClient.connect(serving.port)
    client.send(`${listPath}?limit=1`, tenant.headers)
    const head = await client.head()
    assert.deepEqual([head.status, head.headers.get('connection')], [200, 'keep-alive'])
    client.leave()
    const stopping = logLines(serving.log()).find(line => line.msg === 'stopping')
    assert.deepEqual([stopping?.['delaySeconds'], stopping?.['signal']], [600, 'SIGTERM'])
  })

  test('an idle connection may send one more request, and is closed if it sends none', async t => {
    const env = { SHUTDOWN_IDLE_MS: '60000', SHUTDOWN_GRACE_SECONDS: '86400' }
    const serving = await serveFor(t, database, { env })
    const idle = await RawClient.connect(serving.port)
    idle.send('/health/live')
    await idle.head()
    // A closing terminal counts as a signal too.
    serving.running.child.kill('SIGHUP')
    await until(() => isRefused(serving.port))
    // By now it has been asked to stop and has nothing to do: it waits for this request alone.
    idle.send(`${listPath}?limit=1`, tenant.headers)
    const head = await idle.head()
    assert.deepEqual([head.status, head.headers.get('connection')], [200, 'close'])
    // The last connection has closed: nothing is left to wait for.
    const { code, stderr } = await serving.running.finished
    assert.deepEqual([code, stderr], [0, ''])
  })

  test('a connection has MAX_REQUESTS_PER_CONNECTION requests, and the last response says so', async t => {
    const serving = await serveHereFor(t, database, { env: { MAX_REQUESTS_PER_CONNECTION: '3' } })
    const client = await RawClient.connect(serving.port)
    const seen: unknown[] = []
    for (let i = 0; i < 3; i++) {
      client.send('/health/live')
      const { status, headers } = await client.head()
      seen.push([status, headers.get('connection')])
    }
    assert.deepEqual(seen, [
      [200, 'keep-alive'],
      [200, 'keep-alive'],
      [200, 'close'],
    ])
    await client.rest()
    assert.equal(client.socket.readableEnded, true)
    await serving.stop()
  })

  test('beyond MAX_CONNECTIONS a connection is closed at once and counted, and there is room when one has closed', async t => {
    const serving = await serveHereFor(t, database, { env: { MAX_CONNECTIONS: '2' } })
    const held = [await RawClient.connect(serving.port), await RawClient.connect(serving.port)]
    for (const client of held) {
      client.send('/health/live')
      assert.equal((await client.head()).status, 200)
    }
    const refused = await RawClient.connect(serving.port)
    await assert.rejects(refused.head())
    const figures = await (await fetch(`${serving.adminUrl}/metrics`)).text()
    assert.match(figures, /^dossier_http_connections_refused_total\{server="public"\} 1$/m)

    held[0]?.leave()
    await until(async () => {
      const next = await RawClient.connect(serving.port)
      next.send('/health/live')
      const answer = await next.head().catch(() => undefined)
      next.leave()
      return answer?.status === 200
    })
    held[1]?.leave()
    await serving.stop()
  })
})
