import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { createLog } from '../../src/logging.ts'
import { type Stream, streamKey } from '../../src/model/events.ts'
import { Problem } from '../../src/platform/core/problems.ts'
import { type Config, readConfig } from '../../src/settings.ts'
import { runHere } from '../harness/command.ts'
import { createTestDatabase, open, secretsKey, skipOn, type TestDatabase } from '../harness/database.ts'
import { longTest, times } from '../harness/effort.ts'
import { until } from '../harness/polling.ts'
import { startPostgres } from '../harness/postgres.ts'
import { type PostgresProxy, startPostgresProxy } from '../harness/postgres-proxy.ts'
import { openServices, type Services } from '../harness/services.ts'
import { recordStatements } from '../harness/sql-recording.ts'
import { addTenant, draftOf, type Tenant } from '../harness/tenant.ts'
import { asking, neverMs, nodeOver } from './nodes.ts'

/** A process that checks its connection often, and the lines of its log. */
async function openListener(settings: Record<string, string>, change: Partial<Config['limits']> = {}) {
  const lines: string[] = []
  const log = createLog({
    level: 'info',
    format: 'json',
    write: text => void lines.push(JSON.parse(text).msg),
  })
  const config = readConfig(settings)
  const quick = { listenCheckSeconds: 0.05, listenAnswerMs: 300, listenPauseMs: 10, eventPollSeconds: 0.02 }
  const limits = { ...config.limits, ...quick, eventPollHeardSeconds: neverMs / 1000, ...change }
  const services = await openServices({ ...config, limits }, log)
  return { services, lines }
}

const heard = 'events of other processes are heard by LISTEN'
const unheard = 'events of other processes are not heard: they are found within a second'

describe('listening on PostgreSQL', () => {
  let database: TestDatabase
  let writer: Services
  let tenant: Tenant
  let proxy: PostgresProxy
  before(async () => {
    database = await createTestDatabase('postgres')
    writer = await open(database.settings)
    tenant = await addTenant(writer)
    proxy = await startPostgresProxy(String(database.settings['DATABASE_URL']))
  })
  after(async () => {
    await proxy?.close()
    await writer?.close()
    await database?.remove()
  })

  /** The request waits before the event is written, and is answered with it. */
  async function isWoken(services: Services): Promise<void> {
    const { cursor } = await asking(writer)(tenant, '')
    const answer = asking(services)(tenant, `cursor=${cursor}`, neverMs)
    await until(async () => services.waiting.count() === 1)
    const { id } = await writer.submissions.add(tenant.advertiserId, draftOf('x'))
    assert.equal((await answer).events[0]?.data['applicationId'], id)
  }

  const throughProxy = () => ({ ...database.settings, DATABASE_LISTEN_URL: proxy.url })

  test('several proofs at once, on a connection of their own or on the one that is there, do not mistake each other', async t => {
    const { services } = await openListener(database.settings)
    t.after(() => services.close())
    const { notifier } = services.database
    const proofs = () => Promise.all(Array.from({ length: 5 }, () => notifier?.prove?.()))
    assert.deepEqual(await proofs(), Array(5).fill(true))
    notifier?.attend(() => {})
    await until(async () => notifier?.isHeard() === true)
    assert.deepEqual(await proofs(), Array(5).fill(true))
    assert.equal(notifier?.isHeard(), true)
  })

  test('begins with the first request that waits, and ends when none has for a while', async t => {
    const { services, lines } = await openListener(throughProxy())
    t.after(() => services.close())
    assert.equal(proxy.open, 0)
    await isWoken(services)
    await until(async () => proxy.open === 0)
    const leave = services.hints.attend()
    await until(async () => proxy.open === 1)
    await isWoken(services)
    leave()
    assert.deepEqual(lines, [heard])
  })

  for (const [name, fault] of Object.entries({
    'whose connection is cut': async () => {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query = 'listen dossier'`.execute(writer.database.writer)
    },
    'whose connection is half open': async () => proxy.mute(),
  })) {
    test(`a process ${name} looks by itself until it hears its own word again`, async t => {
      const { services, lines } = await openListener(throughProxy())
      t.after(() => services.close())
      for (let round = 0; round < times(1, 20); round++) {
        const attending = services.hints.attend()
        await until(async () => services.hints.isHeard())
        // Only LISTEN can wake it: looks are seldom now.
        await isWoken(services)
        const before = lines.length
        await fault()
        await until(async () => lines.length > before)
        assert.equal(lines[before], unheard)
        await isWoken(services)
        await until(async () => services.hints.isHeard())
        await isWoken(services)
        attending()
      }
    })
  }

  test('an address where nothing arrives is not believed', async t => {
    const other = await createTestDatabase('postgres')
    t.after(() => other.remove())
    const { services, lines } = await openListener({
      ...database.settings,
      DATABASE_LISTEN_URL: String(other.settings['DATABASE_URL']),
    })
    t.after(() => services.close())
    await isWoken(services)
    const attending = services.hints.attend()
    await until(async () => lines.length > 0)
    assert.deepEqual([lines, services.hints.isHeard()], [[unheard], false])
    attending()
    const doctor = await runHere(['doctor'], {
      ...database.settings,
      DATABASE_LISTEN_URL: String(other.settings['DATABASE_URL']),
    })
    assert.match(doctor.stdout, /^WRONG {2}events .*did not arrive.*DATABASE_LISTEN_URL/m)
  })

  test('behind pgbouncer in transaction mode nothing listens, and events are found all the same', {
    skip: skipOn('pgbouncer'),
  }, async t => {
    const pooler = await createTestDatabase('pgbouncer')
    t.after(() => pooler.remove())
    const { services, lines } = await openListener(pooler.settings)
    t.after(() => services.close())
    const own = nodeOver(services, ['local', 'notify'], 20)
    const there = await addTenant(services)
    const { cursor } = await own.ask(there, '')
    const answer = own.ask(there, `cursor=${cursor}`, neverMs)
    const other = await open(pooler.settings)
    t.after(() => other.close())
    const { id } = await other.submissions.add(there.advertiserId, draftOf(1))
    assert.equal((await answer).events[0]?.data['applicationId'], id)
    assert.deepEqual(lines, [
      'events of other nodes are found within a second: set DATABASE_LISTEN_URL to hear of them at once',
    ])
    const doctor = await runHere(['doctor'], pooler.settings)
    assert.match(doctor.stdout, /^ok {5}events .*DATABASE_LISTEN_URL/m)

    // With a direct address, notifications that are sent through the pooler arrive.
    const direct = new URL(String(database.settings['DATABASE_URL']))
    direct.pathname = new URL(String(pooler.settings['DATABASE_URL'])).pathname
    const both = await openListener({ ...pooler.settings, DATABASE_LISTEN_URL: direct.href })
    t.after(() => both.services.close())
    const attending = both.services.hints.attend()
    await until(async () => both.services.hints.isHeard())
    const told = Promise.withResolvers<Stream | undefined>()
    both.services.hints.listen((stream, from) => from === 'notify' && told.resolve(stream))
    await other.submissions.add(there.advertiserId, draftOf(2))
    assert.deepEqual(await told.promise, { advertiserId: there.advertiserId })
    attending()
  })

  test('a write notifies beside its transaction, and not in it', async t => {
    const services = await open(database.settings)
    t.after(() => services.close())
    const listener = new pg.Client(database.settings['DATABASE_URL'])
    await listener.connect()
    t.after(() => listener.end())
    let told = 0
    listener.on('notification', ({ payload }) => {
      if (payload?.endsWith(` a${tenant.advertiserId}`)) told += 1
    })
    await listener.query('listen dossier')
    const statements = recordStatements(services.database)
    const { id } = await services.submissions.add(tenant.advertiserId, draftOf(1))
    await until(async () => told === 1)
    await services.erasure.erase(tenant.advertiserId, id)
    await until(async () => told === 2)
    assert.ok(statements.length > 10)
    for (const statement of statements) assert.doesNotMatch(statement.sql, /notify/i)
  })

  test('a list of streams that is too long becomes one hint for all', async t => {
    const { services } = await openListener(database.settings)
    t.after(() => services.close())
    const attending = services.hints.attend()
    t.after(attending)
    await until(async () => services.hints.isHeard())
    const told: (Stream | undefined)[] = []
    services.hints.listen((stream, from) => from === 'notify' && void told.push(stream))
    const streams = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ advertiserId: 10_000_000 + index }))
    await writer.database.notifier?.ring?.(streams(700).map(streamKey))
    await until(async () => told.length >= 700)
    assert.deepEqual(told, streams(700))
    await writer.database.notifier?.ring?.([{ clientId: 'careers' }, ...streams(2_000)].map(streamKey))
    await until(async () => told.length > 700)
    assert.deepEqual(told.slice(700), [undefined])
  })
})

longTest('a restart of the server loses no event, and LISTEN comes back', async t => {
  const server = await startPostgres({ fsync: 'off' })
  const folder = await mkdtemp(join(tmpdir(), 'dossier-test-'))
  const url = server.url(await server.createDatabase())
  const settings = { DATA_DIR: folder, DATABASE_URL: url, SECRETS_KEY: secretsKey }
  const writer = await open(settings)
  await writer.schema.migrate()
  const { services, lines } = await openListener(settings)
  t.after(async () => {
    await services.close()
    await writer.close()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const tenant = await addTenant(writer)
  const unlessAway = async <T>(work: Promise<T>): Promise<T | undefined> => {
    try {
      return await work
    } catch (error) {
      assert.ok(error instanceof Problem && error.code === 'unavailable', String(error))
      await sleep(20)
      return undefined
    }
  }

  const acknowledged: number[] = []
  let isWriting = true
  async function write(): Promise<void> {
    for (let serial = 0; isWriting; serial++) {
      const added = await unlessAway(writer.submissions.add(tenant.advertiserId, draftOf(serial)))
      if (added !== undefined) acknowledged.push(added.id)
    }
  }

  const seen: unknown[] = []
  let lastId: number | undefined
  /** Each request waits for ever: only hints and looks wake it. */
  async function follow(from: string): Promise<void> {
    for (let cursor = from; lastId === undefined || seen.at(-1) !== lastId; ) {
      const answer = await unlessAway(asking(services)(tenant, `cursor=${cursor}`, neverMs))
      seen.push(...(answer?.events.map(({ data }) => data['applicationId']) ?? []))
      cursor = answer?.cursor ?? cursor
    }
  }

  const following = follow((await asking(writer)(tenant, '')).cursor)
  const attending = services.hints.attend()
  for (let round = 0; round < 5; round++) {
    await until(async () => services.hints.isHeard())
    const before = lines.length
    isWriting = true
    const writing = write()
    const count = acknowledged.length
    await until(async () => acknowledged.length >= count + 10)
    await server.restart()
    await until(async () => acknowledged.length >= count + 20)
    isWriting = false
    await writing
    await until(async () => lines.slice(before).includes(unheard) && services.hints.isHeard())
  }
  // Looks are seldom now: only LISTEN can tell of it.
  await until(async () => services.waiting.count() === 1)
  lastId = (await writer.submissions.add(tenant.advertiserId, draftOf('last'))).id
  acknowledged.push(lastId)
  await following
  attending()
  const everything = { after: 0, limit: 100_000 }
  const { events } = await writer.eventStore.page({ advertiserId: tenant.advertiserId }, everything)
  // A write whose connection was cut at its commit may be among them without an acknowledgement.
  assert.deepEqual(
    seen,
    events.map(({ applicationId }) => applicationId),
  )
  assert.deepEqual(
    acknowledged.filter(id => !seen.includes(id)),
    [],
  )
})
