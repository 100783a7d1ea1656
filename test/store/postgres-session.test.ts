import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { createLog } from '../../src/logging.ts'
import { reasonOf } from '../../src/platform/core/reason.ts'
import { migrations } from '../../src/schema/migrations/list.ts'
import { readConfig } from '../../src/settings.ts'
import { runHere } from '../harness/command.ts'
import { createTestDatabase, open, silentLog, skipOn, type TestDatabase } from '../harness/database.ts'
import { startPgbouncer } from '../harness/pgbouncer.ts'
import { startPostgres } from '../harness/postgres.ts'
import { startPostgresProxy } from '../harness/postgres-proxy.ts'
import { startReplica } from '../harness/postgres-replica.ts'
import { openServices } from '../harness/services.ts'
import { addTenant, draftOf } from '../harness/tenant.ts'

/** What a connection needs from the server, and the settings that it sends. */

async function databaseFor(t: TestContext, way: 'postgres' | 'pgbouncer'): Promise<TestDatabase> {
  const database = await createTestDatabase(way)
  t.after(() => database.remove())
  return database
}

const nameIn = (url: string | undefined) => new URL(String(url)).pathname.slice(1)

async function runSql(statement: string): Promise<void> {
  const client = new pg.Client(process.env['TEST_POSTGRES_URL'])
  await client.connect()
  await client.query(statement)
  await client.end()
}

for (const way of ['postgres', 'pgbouncer'] as const) {
  test(`when two processes migrate an empty database, each migration runs once [${way}]`, {
    skip: skipOn(way),
  }, async t => {
    const { settings } = await databaseFor(t, way)
    const empty = `${nameIn(settings['DATABASE_URL'])}_empty`
    await runSql(`create database ${empty}`)
    t.after(() => runSql(`drop database ${empty} with (force)`))
    const url = new URL(String(settings['DATABASE_URL']))
    url.pathname = `/${empty}`
    const config = readConfig({ ...settings, DATABASE_URL: url.href })
    const both = [await openServices(config, silentLog), await openServices(config, silentLog)]
    const migrated = await Promise.all(both.map(({ schema }) => schema.migrate()))
    await Promise.all(both.map(each => each.close()))
    assert.deepEqual(migrated.flatMap(({ ran }) => ran).toSorted(), Object.keys(migrations))
  })
}

for (const way of ['postgres', 'pgbouncer'] as const) {
  for (const level of ['repeatable read', 'serializable']) {
    test(`a database whose default is ${level} works like any other [${way}]`, {
      skip: skipOn(way),
    }, async t => {
      const { settings } = await databaseFor(t, way)
      await runSql(
        `alter database ${nameIn(settings['DATABASE_URL'])} set default_transaction_isolation = '${level}'`,
      )
      const services = await open(settings)
      t.after(() => services.close())
      assert.deepEqual(await services.schema.migrate(), { ran: [] })
      const { advertiserId } = await addTenant(services)
      const receipts = await Promise.all(
        Array.from({ length: 12 }, (_, serial) => services.submissions.add(advertiserId, draftOf(serial))),
      )
      assert.equal(new Set(receipts.map(({ id }) => id)).size, 12)
    })
  }
}

test('a pooler that drops the settings of a connection is rejected with the setting that it needs', {
  skip: skipOn('pgbouncer'),
}, async t => {
  const { settings } = await databaseFor(t, 'postgres')
  const folder = String(new URL(String(settings['DATABASE_URL'])).searchParams.get('host'))
  const pooler = await startPgbouncer({ folder }, 'ignore_startup_parameters = options\n')
  t.after(() => pooler.stop())
  const through = { ...settings, DATABASE_URL: pooler.url(nameIn(settings['DATABASE_URL'])) }
  const services = await open(through)
  t.after(() => services.close())
  await assert.rejects(services.schema.state(), error => /DATABASE_PREPARED=off/.test(reasonOf(error)))
  await assert.rejects(services.advertisers.list(), { code: 'unavailable' })
  const doctor = await runHere(['doctor'], through)
  assert.equal(doctor.code, 1)
  assert.match(doctor.stdout, /^WRONG {2}database .*DATABASE_PREPARED=off/m)
  const unprepared = await open({ ...through, DATABASE_PREPARED: 'off' })
  t.after(() => unprepared.close())
  assert.equal((await unprepared.schema.state()).state, 'current')
})

test('a session in which another client has prepared a statement costs one failed request', async t => {
  const { settings } = await databaseFor(t, 'postgres')
  const services = await open({ ...settings, DATABASE_POOL_SIZE: '2' })
  t.after(() => services.close())
  const { reader } = services.database
  // A process names its first 500 statements, of which this is one, whatever its tests have run before.
  const name = createHash('sha256').update('begin').digest('hex').slice(0, 32)
  await sql.raw(`prepare "${name}" as select 4`).execute(reader)
  const read = () =>
    reader.transaction().execute(trx => sql<{ three: number }>`select 3 as three`.execute(trx))
  await assert.rejects(read(), { code: 'unavailable' })
  assert.deepEqual((await read()).rows, [{ three: 3 }])
})

test('every command rejects a database that is not encoded in UTF-8', async t => {
  const { settings } = await databaseFor(t, 'postgres')
  const name = `t_${randomBytes(8).toString('hex')}`
  await runSql(`create database ${name} template template0 encoding 'LATIN1' locale_provider libc locale 'C'`)
  t.after(() => runSql(`drop database ${name}`))
  const address = String(settings['DATABASE_URL']).replace(nameIn(settings['DATABASE_URL']), name)
  const latin = { ...settings, DATABASE_URL: address, PORT: '0', ADMIN_PORT: '0', HOST: '127.0.0.1' }
  for (const [command, exitCode] of [
    ['migrate', 1],
    ['serve', 4],
    ['doctor', 1],
  ] as const) {
    const { code, stdout, stderr } = await runHere([command], latin)
    assert.equal(code, exitCode, stderr)
    assert.match(stdout + stderr, /LATIN1.*UTF8/, command)
  }
})

test('the log reports once that the address leads to a standby, and once that it no longer does', async t => {
  const primary = await startPostgres({ fsync: 'off' })
  t.after(() => primary.stop())
  const standby = await startReplica(primary)
  t.after(() => standby.stop())
  const name = await primary.createDatabase()
  const proxy = await startPostgresProxy(primary.url(name))
  t.after(() => proxy.close())
  const { settings } = await databaseFor(t, 'postgres')
  const lines: string[] = []
  const log = createLog({
    level: 'info',
    format: 'json',
    write: text => {
      const { pool, msg } = JSON.parse(text)
      if (pool === 'reader') lines.push(msg)
    },
  })
  const config = readConfig({ ...settings, DATABASE_URL: proxy.url })
  // No connection is kept for a second query.
  const limits = { ...config.limits, databasePoolSize: 2, connectionSeconds: 0.001 }
  const services = await openServices({ ...config, limits }, log)
  t.after(() => services.close())
  await services.schema.state()
  await standby.caughtUp()
  proxy.moveTo(standby.url(name))
  await assert.rejects(
    untilItFails(() => services.schema.state()),
    { code: 'unavailable' },
  )
  for (let times = 0; times < 3; times += 1)
    await assert.rejects(services.schema.state(), { code: 'unavailable' })
  proxy.moveTo(primary.url(name))
  await services.schema.state()
  assert.deepEqual(lines, [
    'no new database connections can be made',
    'database connections can be made again',
  ])
  proxy.moveTo(standby.url(name))
  const doctor = await runHere(['doctor'], { ...settings, DATABASE_URL: proxy.url })
  assert.match(doctor.stdout, /^WRONG {2}database .*the server is a standby/m)
  assert.equal(doctor.stderr, 'dossier: 1 of 2 checks failed.\n')
})

async function untilItFails(attempt: () => Promise<unknown>): Promise<never> {
  for (;;) await attempt()
}
