import assert from 'node:assert/strict'
import { chmod, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../../src/platform/core/problems.ts'
import { open, skipOn, type TestDatabase } from '../harness/database.ts'
import { longTest } from '../harness/effort.ts'
import { call } from '../harness/http.ts'
import { startPgbouncer } from '../harness/pgbouncer.ts'
import { until, untilStatus } from '../harness/polling.ts'
import { type Postgres, startPostgres } from '../harness/postgres.ts'
import { pullThePlug } from '../harness/postgres-outage.ts'
import { startPostgresProxy } from '../harness/postgres-proxy.ts'
import { startReplica } from '../harness/postgres-replica.ts'
import type { Services } from '../harness/services.ts'
import { draftOf, listPath, prepareTenant } from '../harness/tenant.ts'
import { folderFor, serveFor } from './support.ts'

/** Applies without an end, and records acknowledgements and the reasons of refusals. */
function startWriters(services: Services, advertiserId: number, count: number) {
  const acknowledged = new Map<number, string>()
  const refusals: unknown[] = []
  let isOver = false
  const write = async (writer: number) => {
    for (let serial = 0; !isOver; serial += 1) {
      const draft = draftOf(`${writer}-${serial}`)
      try {
        const { id } = await services.submissions.add(advertiserId, draft)
        acknowledged.set(id, draft.contact.email)
      } catch (error) {
        assert.ok(error instanceof Problem && error.code === 'unavailable', String(error))
        refusals.push((error.cause as { code?: string }).code)
        await sleep(20)
      }
    }
  }
  const writing = Promise.all(Array.from({ length: count }, (_, writer) => write(writer)))
  // From here on a failure must end the loops too.
  writing.catch(() => {
    isOver = true
  })
  return {
    acknowledged,
    refusals,
    end: () => {
      isOver = true
      return writing
    },
  }
}

/** A pooler follows the address behind our connections to it, which stay. */
async function startMovablePooler(t: TestContext, server: Postgres) {
  const folder = await folderFor(t)
  await chmod(folder, 0o755)
  const address = join(folder, 'server')
  await symlink(server.folder, address)
  const { url, stop } = await startPgbouncer({ ...server, folder: address })
  t.after(stop)
  return {
    url,
    async moveTo(other: Postgres) {
      await rm(address)
      await symlink(other.folder, address)
    },
  }
}

longTest(
  'a standby takes over: 503 until it is the primary, and no acknowledged application is lost',
  {
    skip: skipOn('pgbouncer'),
  },
  async t => {
    const primary = await startPostgres({ fsync: 'off' })
    t.after(() => primary.stop())
    const standby = await startReplica(primary)
    t.after(() => standby.stop())
    // Acknowledged means that both have it.
    await primary.query(`alter system set synchronous_standby_names = '*'`)
    await primary.query('select pg_reload_conf()')
    const name = await primary.createDatabase()
    const proxy = await startPostgresProxy(primary.url(name))
    t.after(() => proxy.close())
    const database: TestDatabase = {
      engine: 'postgres',
      settings: { DATA_DIR: await folderFor(t), DATABASE_URL: proxy.url },
      remove: async () => {},
    }
    const { advertiserId, headers } = await prepareTenant(database)
    const serving = await serveFor(t, database)
    const services = await open(database.settings)
    t.after(() => services.close())
    const pooler = await startMovablePooler(t, primary)
    const pooled = await open({
      DATA_DIR: await folderFor(t),
      DATABASE_URL: pooler.url(name),
      DATABASE_PREPARED: 'off',
    })
    t.after(() => pooled.close())
    const readPooled = () => pooled.schema.state()
    assert.equal((await readPooled()).state, 'current')
    const writers = startWriters(services, advertiserId, 3)
    const more = async () => {
      const { size } = writers.acknowledged
      await until(async () => writers.acknowledged.size >= size + 20)
    }

    await more()
    assert.deepEqual(writers.refusals, [])
    await pullThePlug(primary)
    assert.equal((await untilStatus(serving, '/health/ready', 503)).json().code, 'unavailable')
    // The address leads to it before it is a primary: it could read, but its data would be outdated.
    proxy.moveTo(standby.url(name))
    await pooler.moveTo(standby)
    const refusalOf = async () => {
      const error = await readPooled().then(
        () => assert.fail('the standby has answered'),
        (reason: Error) => reason,
      )
      assert.ok(error instanceof Problem && error.code === 'unavailable', String(error))
      return (error.cause as { code?: string }).code
    }
    await until(async () => (await refusalOf()) === '25006')
    await until(async () => writers.refusals.includes('25006'))
    assert.equal((await call(serving, listPath, { headers })).status, 503)
    await standby.promote()
    await untilStatus(serving, '/health/ready', 200)
    await more()
    await writers.end()
    assert.equal((await readPooled()).state, 'current')

    const list: { ID: number; Email: string }[] = (await call(serving, listPath, { headers })).json()
      .JobApplications.JobApplicationsList
    const kept = new Map(list.map(({ ID, Email }) => [ID, Email]))
    assert.equal(kept.size, list.length)
    assert.equal(new Set(kept.values()).size, list.length, 'none twice')
    assert.deepEqual(
      list.map(({ ID }) => ID),
      [...kept.keys()].toSorted((a, b) => a - b),
    )
    for (const [id, email] of writers.acknowledged) assert.equal(kept.get(id), email)
    await serving.stop()
  },
)
