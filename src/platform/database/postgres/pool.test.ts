import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { createTestDatabase, skipOn, type TestDatabase } from '../../../../test/harness/database.ts'
import { startPostgresProxy } from '../../../../test/harness/postgres-proxy.ts'
import { Problem } from '../../core/problems.ts'
import { reasonOf } from '../../core/reason.ts'
import type { Database, Schema } from '../tables.ts'
import { openPool } from './pool.ts'
import { openPostgres, type PrimaryOptions } from './postgres.ts'

/** The caller gets `unavailable`, with the error of the database as its cause. */
function isUnavailable(sqlState: string | undefined, detail?: RegExp): (error: unknown) => true {
  return error => {
    assert.ok(error instanceof Problem, String(error))
    assert.equal(error.code, 'unavailable')
    assert.equal((error.cause as { code?: string }).code, sqlState)
    if (detail !== undefined) assert.match(error.message, detail)
    return true
  }
}

const add = (db: Kysely<Schema>, key: string) => db.insertInto('meta').values({ key, value: '' }).execute()
const count = async (db: Kysely<Schema>) => (await db.selectFrom('meta').selectAll().execute()).length
const sleep = (db: Kysely<Schema>, seconds: number) => sql`select pg_sleep(${seconds})`.execute(db)
const show = async (db: Kysely<Schema>, name: string) =>
  (await sql<{ value: string }>`select current_setting(${name}) as value`.execute(db)).rows[0]?.value

const optionsFor = (settings: TestDatabase['settings']): PrimaryOptions => ({
  url: String(settings['DATABASE_URL']),
  poolSize: 4,
  connectMs: 5_000,
  // Like the other times below: short, but long enough for a healthy statement on a busy machine.
  statementTimeoutMs: 500,
  lockWaitMs: 10_000,
  transactionIdleMs: 60_000,
  answerMarginMs: 10_000,
  connectionSeconds: 600,
  closeMs: 1_000,
  isPrepared: settings['DATABASE_PREPARED'] !== 'off',
  onBrokenConnection: () => {},
  onReach: () => {},
  idsRaisedBy: 100,
  onRaisedIds: () => {},
})

for (const way of ['postgres', 'pgbouncer'] as const) {
  describe(`PostgreSQL [${way}]`, { skip: skipOn(way) }, () => {
    let own: TestDatabase
    let database: Database
    const options = (changes: Partial<PrimaryOptions> = {}) => ({ ...optionsFor(own.settings), ...changes })
    before(async () => {
      own = await createTestDatabase(way)
      database = openPostgres(options())
    })
    after(async () => {
      await database.close()
      await own.remove()
    })

    test('a reader cannot write, which is a mistake and not an outage', async () => {
      await assert.rejects(add(database.reader, 'through the reader'), { code: '25006' })
      assert.equal(await show(database.reader, 'transaction_read_only'), 'on')
      assert.equal(await show(database.writer, 'transaction_read_only'), 'off')
      await add(database.writer, 'through the writer')
    })

    test('a statement that takes too long is cancelled, in a transaction or not, and the next one works', async () => {
      const late = isUnavailable('57014', /too long/)
      await assert.rejects(sleep(database.reader, 10), late)
      await assert.rejects(sleep(database.writer, 10), late)
      await assert.rejects(
        database.writer.transaction().execute(async trx => {
          await add(trx, 'undone')
          await sleep(trx, 10)
        }),
        late,
      )
      const rows = await database.writer
        .selectFrom('meta')
        .select('key')
        .where('key', '=', 'undone')
        .execute()
      assert.deepEqual(rows, [])
      await sleep(database.migrator, 0.6)
    })

    test('an idle transaction is ended, and its locks are released', async () => {
      await add(database.writer, 'locked')
      const hasty = openPool({ ...options({ transactionIdleMs: 500 }), of: 'writer' })
      const lock = (db: Kysely<Schema>) =>
        db.updateTable('meta').set({ value: 'changed' }).where('key', '=', 'locked').execute()
      const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>()
      const { promise: free, resolve: isFree } = Promise.withResolvers<void>()
      const silent = hasty.db.transaction().execute(async trx => {
        await lock(trx)
        isLocked()
        await free
        await lock(trx)
      })
      const refused = assert.rejects(
        silent,
        error => error instanceof Problem && error.code === 'unavailable',
      )
      await locked
      // Its own time limit may be shorter than that of the idle transaction.
      for (;;) {
        const done = await lock(database.writer).then(
          () => true,
          () => false,
        )
        if (done) break
      }
      isFree()
      await refused
      await hasty.close()
    })

    test('of two deadlocked transactions one gets unavailable and the other commits', async () => {
      await add(database.writer, 'a')
      await add(database.writer, 'b')
      const change = (db: Kysely<Schema>, key: string) =>
        db.updateTable('meta').set({ value: 'changed' }).where('key', '=', key).execute()
      const arrived = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
      const cross = (first: string, second: string, here: 0 | 1) =>
        database.writer.transaction().execute(async trx => {
          await sql`set local deadlock_timeout = '10ms'`.execute(trx)
          await change(trx, first)
          arrived[here].resolve()
          await Promise.all(arrived.map(({ promise }) => promise))
          await change(trx, second)
        })
      const outcomes = await Promise.allSettled([cross('a', 'b', 0), cross('b', 'a', 1)])
      const failures = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
      assert.equal(failures.length, 1)
      isUnavailable('40P01', /busy/)(failures[0])
    })

    test('a table that changes after a statement was prepared costs one failed request', async () => {
      const before = await count(database.reader)
      await sql`alter table meta add column more text`.execute(database.migrator)
      if (way === 'postgres') await assert.rejects(count(database.reader), isUnavailable('0A000'))
      assert.equal(await count(database.reader), before)
    })

    test('waiting for a connection ends after a while', async () => {
      const pool = openPool({ ...options({ poolSize: 1, connectMs: 500 }), of: 'writer' })
      await pool.db.transaction().execute(async () => {
        await assert.rejects(count(pool.db), isUnavailable(undefined, /busy/))
      })
      assert.ok((await count(pool.db)) > 0)
      await pool.close()
    })

    test('a connection whose request gave up while it was checked does not occupy its place for ever', async t => {
      const proxy = await startPostgresProxy(options().url)
      t.after(() => proxy.close())
      const pool = openPool({ ...options({ url: proxy.url, connectMs: 500 }), of: 'writer' })
      t.after(() => pool.close())
      await count(pool.db)
      const checking = proxy.holdAnswerTo('pg_is_in_recovery')
      // One takes the connection that is there; the other waits in the queue for a new one.
      const both = Promise.allSettled([count(pool.db), count(pool.db)])
      const answer = await checking
      const outcomes = (await both).map(({ status }) => status)
      assert.deepEqual(outcomes.toSorted(), ['fulfilled', 'rejected'])
      answer()
      await pool.db.transaction().execute(async () => assert.ok((await count(pool.db)) > 0))
    })

    test('waiting for a row ends after a while, and the connection stays usable', async () => {
      await add(database.writer, 'held')
      const pool = openPool({
        ...options({ poolSize: 1, lockWaitMs: 20, statementTimeoutMs: 60_000 }),
        of: 'writer',
      })
      const change = (db: Kysely<Schema>) =>
        db.updateTable('meta').set({ value: 'changed' }).where('key', '=', 'held').execute()
      await database.writer.transaction().execute(async trx => {
        await change(trx)
        await assert.rejects(change(pool.db), isUnavailable('55P03', /busy/))
      })
      await change(pool.db)
      await pool.close()
    })

    test('a process opens as many connections as the pool size allows, for writes and reads together', async () => {
      const proxy = await startPostgresProxy(options().url)
      const own = openPostgres(options({ url: proxy.url, poolSize: 5 }))
      const many = Array.from({ length: 8 }, (_, number) => number)
      await Promise.all(many.flatMap(() => [count(own.reader), count(own.writer)]))
      assert.equal(proxy.open, 5)
      await own.close()
      await proxy.close()
    })

    test('that no connections can be made is reported once, and so is their return', async () => {
      const proxy = await startPostgresProxy(options().url)
      const reports: [string, boolean][] = []
      const onReach = (of: string, reason: unknown) => void reports.push([of, reason !== undefined])
      const pool = openPool({ ...options({ url: proxy.url, onReach }), of: 'writer' })
      await pool.db.transaction().execute(async trx => {
        await count(trx)
        proxy.moveTo('postgres://nobody?host=/nowhere')
        for (let times = 0; times < 3; times++) await assert.rejects(count(pool.db), { code: 'unavailable' })
        assert.deepEqual(reports, [['writer', true]])
        proxy.moveTo(options().url)
        await Promise.all([count(pool.db), count(pool.db)])
      })
      assert.deepEqual(reports, [
        ['writer', true],
        ['writer', false],
      ])
      await pool.close()
      await proxy.close()
    })

    test('when a server stops answering, all connections to it are given up', async () => {
      const proxy = await startPostgresProxy(options().url)
      const pool = openPool({ ...options({ url: proxy.url, answerMarginMs: 500 }), of: 'reader' })
      // Two connections at once.
      await Promise.all([count(pool.db), count(pool.db)])
      assert.equal(proxy.open, 2)
      proxy.mute()
      await assert.rejects(count(pool.db), isUnavailable(undefined))
      await count(pool.db)
      assert.equal(proxy.open, 1)
      await pool.close()
      await proxy.close()
    })
  })
}

test('a writer on a server that became read-only fails once and then connects again', async () => {
  const { settings, remove } = await createTestDatabase('postgres')
  const pool = openPool({ ...optionsFor(settings), poolSize: 1, of: 'writer' })
  await add(pool.db, 'before')
  // Like a primary that was fenced: the server and its sessions live on.
  await sql`set default_transaction_read_only = on`.execute(pool.db)
  await assert.rejects(add(pool.db, 'refused'), isUnavailable('25006'))
  await add(pool.db, 'after')
  assert.equal(await count(pool.db), 2)
  await pool.close()
  await remove()
})

test('a database that accepts no connections for a while is unavailable, and is used again afterwards', async t => {
  const { settings, remove } = await createTestDatabase('postgres')
  const pool = openPool({ ...optionsFor(settings), of: 'reader' })
  t.after(async () => {
    await pool.close()
    await remove()
  })
  await count(pool.db)
  const name = new URL(String(settings['DATABASE_URL'])).pathname.slice(1)
  const accept = (isOpen: boolean) =>
    onServerOf(String(settings['DATABASE_URL']), `alter database ${name} allow_connections ${isOpen}`)
  await accept(false)
  await onServerOf(
    String(settings['DATABASE_URL']),
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
  )
  // The first may still meet the connection that was ended.
  await count(pool.db).catch(() => {})
  await assert.rejects(count(pool.db), isUnavailable('55000'))
  await accept(true)
  assert.equal(await count(pool.db), 0)
})

async function onServerOf(url: string, statement: string): Promise<void> {
  const server = new URL(url)
  server.pathname = '/postgres'
  const client = new pg.Client(server.href)
  await client.connect()
  await client.query(statement)
  await client.end()
}

test('prepared statements through an old pooler fail with the setting to change', {
  skip: skipOn('pgbouncer'),
}, async () => {
  const { settings, remove } = await createTestDatabase('pgbouncer')
  const pool = openPool({ ...optionsFor(settings), isPrepared: true, of: 'reader' })
  await assert.rejects(count(pool.db), error => /DATABASE_PREPARED=off/.test(reasonOf(error)))
  await pool.close()
  await remove()
})
