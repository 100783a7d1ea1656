import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { TestDatabase } from '../harness/database.ts'
import { call } from '../harness/http.ts'
import { untilStatus } from '../harness/polling.ts'
import { type Postgres, startPostgres } from '../harness/postgres.ts'
import { freeze } from '../harness/postgres-outage.ts'
import { findLogLine } from '../harness/process.ts'
import { RawClient } from '../harness/raw-client.ts'
import { requestLine, type ServingHere } from '../harness/serving.ts'
import { draftOf, listPath, prepareTenant, type Tenant } from '../harness/tenant.ts'
import { folderFor, serveHereFor } from './support.ts'

/** A database that does not respond shows what must not depend on it. */
describe('while PostgreSQL does not answer', () => {
  let postgres: Postgres
  before(async () => {
    postgres = await startPostgres({ fsync: 'off' })
  })
  after(() => postgres.stop())

  async function serve(t: TestContext, env: Record<string, string>): Promise<[ServingHere, Tenant]> {
    const database: TestDatabase = {
      engine: 'postgres',
      settings: { DATA_DIR: await folderFor(t), DATABASE_URL: postgres.url(await postgres.createDatabase()) },
      remove: async () => {},
    }
    const tenant = await prepareTenant(database, async (services, { advertiserId }) =>
      services.submissions.add(advertiserId, draftOf(1)),
    )
    const serving = await serveHereFor(t, database, { env })
    assert.equal((await call(serving, listPath, { headers: tenant.headers })).status, 200)
    return [serving, tenant]
  }

  /** A request that has reached the service and waits for the database. */
  async function ask(serving: ServingHere, { headers }: Tenant, requestId: string): Promise<RawClient> {
    const client = await RawClient.connect(serving.port)
    client.send(listPath, { ...headers, 'X-Request-Id': requestId })
    // This one is answered without the database, after the service has read the other.
    assert.equal((await call(serving, '/health/live')).status, 200)
    return client
  }

  test('a caller that disconnects before authentication keeps no slot among the whole lists', async t => {
    const [serving, tenant] = await serve(t, { WHOLE_LISTS_PER_CREDENTIAL: '1' })
    const { thaw } = await freeze(postgres)
    t.after(thaw)
    const client = await ask(serving, tenant, 'impatient')
    client.leave()
    assert.equal((await requestLine(serving, 'impatient'))['cut'], true)
    thaw()
    // The one slot may be taken until the missing response is noticed, and not forever.
    await untilStatus(serving, listPath, 200, tenant.headers)
    await serving.stop()
  })

  test('the node says that it is not ready before any query has ended', async t => {
    const [serving] = await serve(t, {})
    const { thaw } = await freeze(postgres)
    t.after(thaw)
    const from = performance.now()
    assert.equal((await call(serving, '/health/ready')).status, 503)
    // Two seconds by design. The time limit of a query would end it too, after more than fourteen.
    assert.ok(performance.now() - from < 10_000)
    const { err } = await serving.running.until(stdout => findLogLine(stdout, 'not ready'))
    assert.equal((err as Error).message, 'no answer in time')
    thaw()
    await untilStatus(serving, '/health/ready', 200)
    await serving.stop()
  })

  test('a stop ends when its grace period is over, exit 0', async t => {
    const [serving, tenant] = await serve(t, { SHUTDOWN_GRACE_SECONDS: '1' })
    const { thaw } = await freeze(postgres)
    t.after(thaw)
    await ask(serving, tenant, 'waiting')
    serving.requestStop()
    const { code, stderr } = await serving.running.finished
    assert.deepEqual([code, stderr], [0, ''])
  })
})
