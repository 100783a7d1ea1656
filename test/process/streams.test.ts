import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { longTest, some } from '../harness/effort.ts'
import { call } from '../harness/http.ts'
import { until } from '../harness/polling.ts'
import { findLogLine } from '../harness/process.ts'
import { RawClient } from '../harness/raw-client.ts'
import type { Service } from '../harness/service.ts'
import { logLines, requestLine, type Serving } from '../harness/serving.ts'
import { listPath, prepareTenant, type Tenant } from '../harness/tenant.ts'
import { fillLargeList, idsIn } from './large-list.ts'
import { isRefused, serveFor, serveHereFor } from './support.ts'

describe('whole lists in progress', () => {
  let database: TestDatabase
  let tenant: Tenant & { ids: number[] }
  before(async () => {
    database = await createTestDatabase('sqlite', 'empty')
    tenant = await prepareTenant(database, (services, { advertiserId }) =>
      fillLargeList(services, advertiserId),
    )
  })
  after(() => database.remove())

  /** A list of which only the head has been read. */
  async function beginList(serving: Service, requestId: string): Promise<RawClient> {
    const client = await RawClient.connect(serving.port)
    client.send(listPath, { ...tenant.headers, 'X-Request-Id': requestId })
    assert.equal((await client.head()).status, 200)
    return client
  }

  const untilStopping = ({ running }: Serving) =>
    running.until(stdout => findLogLine(stdout, 'stopping') && true)

  for (const signal of some(1, ['SIGTERM', 'SIGINT'])) {
    test(`${signal}: requests in progress complete, new connections are refused, open ones are served, exit 0`, async t => {
      const serving = await serveFor(t, database, { env: { SHUTDOWN_GRACE_SECONDS: '60' } })
      const keptAlive = await RawClient.connect(serving.port)
      keptAlive.send('/health/live')
      assert.equal((await keptAlive.head()).headers.get('connection'), 'keep-alive')
      const silent = await RawClient.connect(serving.port)
      const alsoSilent = await RawClient.connect(serving.port)
      const reader = await beginList(serving, 'under-way')

      serving.running.child.kill(signal)
      assert.equal((await untilStopping(serving)) && true, true)
      // Twice, because under npm a Ctrl-C arrives twice: the second must not hurry the stop.
      serving.running.child.kill(signal)
      await until(() => isRefused(serving.port))
      // A client with an open connection may have sent its request before it could know: it gets a response, the last
      // there.
      for (const client of [keptAlive, silent]) {
        client.send(`${listPath}?limit=1`, tenant.headers)
        const head = await client.head()
        assert.deepEqual([head.status, head.headers.get('connection')], [200, 'close'])
        await client.rest()
      }
      assert.equal(serving.running.child.exitCode, null)
      assert.equal(
        logLines(serving.log()).some(line => line['requestId'] === 'under-way'),
        false,
      )

      const { body, isWhole } = await reader.rest()
      assert.equal(isWhole, true)
      assert.deepEqual(idsIn(body), tenant.ids)
      const { code, stderr, stdout } = await serving.running.finished
      assert.deepEqual([code, stderr], [0, ''])
      const line = logLines(stdout).find(line => line['requestId'] === 'under-way')
      assert.deepEqual([line?.['status'], line?.['cut']], [200, undefined])
      alsoSilent.leave()
    })
  }

  longTest(
    'when the grace period is over, remaining responses are cut off without their final bytes, exit 0',
    async t => {
      const serving = await serveHereFor(t, database, { env: { SHUTDOWN_GRACE_SECONDS: '1' } })
      const reader = await beginList(serving, 'too-slow')
      serving.requestStop()
      const { code, stderr, stdout } = await serving.running.finished
      assert.deepEqual([code, stderr], [0, ''])
      const { body, isWhole } = await reader.rest()
      assert.equal(isWhole, false)
      assert.throws(() => JSON.parse(body))
      const line = logLines(stdout).find(line => line['requestId'] === 'too-slow')
      assert.equal(line?.['cut'], true)
      // A response that was cut off fails somewhere in the middle, which is no news.
      assert.deepEqual(
        logLines(stdout).filter(({ level }) => level === 'error'),
        [],
      )
      assert.equal(logLines(stdout).at(-1)?.msg, 'stopped')
    },
  )

  longTest('a stop without requests in progress does not wait', async t => {
    // Longer than any test may take: it ends because nothing is left to wait for.
    const serving = await serveHereFor(t, database, { env: { SHUTDOWN_GRACE_SECONDS: '86400' } })
    const silent = await RawClient.connect(serving.port)
    await serving.stop()
    silent.leave()
  })

  test('four at once per credential; the fifth gets 429 until one of them has ended', async t => {
    const serving = await serveHereFor(t, database)
    const clients: RawClient[] = []
    t.after(() => {
      for (const client of clients) client.leave()
    })
    for (const name of ['first', 'second', 'third', 'fourth']) clients.push(await beginList(serving, name))

    const refused = await call(serving, listPath, { headers: tenant.headers })
    assert.equal(refused.status, 429)
    assert.equal(refused.json().code, 'too-many-streams')
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    // A page is not a stream.
    assert.equal((await call(serving, `${listPath}?limit=1`, { headers: tenant.headers })).status, 200)

    clients[0]?.leave()
    assert.equal((await requestLine(serving, 'first'))['cut'], true)
    clients.push(await beginList(serving, 'fifth'))
    assert.equal((await call(serving, listPath, { headers: tenant.headers })).status, 429)

    // A list read to its end frees its slot too.
    serving.requestStop()
    const rests = await Promise.all(clients.slice(1).map(client => client.rest()))
    assert.deepEqual(
      rests.map(({ isWhole }) => isWhole),
      [true, true, true, true],
    )
    const { code, stderr } = await serving.running.finished
    assert.deepEqual([code, stderr], [0, ''])
  })
})
