import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { readinessChecks } from '../../src/operator/checks/readiness-checks.ts'
import { type Engine, engines, open, type TestDatabase } from '../harness/database.ts'
import { isLongRun, times } from '../harness/effort.ts'
import { call } from '../harness/http.ts'
import { appOf } from '../harness/services.ts'
import { logLines } from '../harness/serving.ts'
import {
  databaseFor,
  refusalHere,
  run,
  runHere,
  runSql,
  serveFor,
  serveHereFor,
  unmigrate,
} from './support.ts'

const together = times(2, 4)

async function emptyDatabaseFor(t: TestContext, engine: Engine): Promise<TestDatabase> {
  const database = await databaseFor(t, engine)
  await unmigrate(database)
  return database
}

async function comeFromTheFuture(database: TestDatabase, oldest: string | null = null): Promise<void> {
  await runHere(['migrate'], database.settings)
  await runSql(
    database,
    `insert into schema_migrations (name, timestamp, kind, oldest)
      values ('9999-future', '2030-01-01T00:00:00Z', 'expand', ${oldest === null ? 'null' : `'${oldest}'`})`,
  )
}

for (const engine of engines) {
  // Several processes differ from one only on SQLite, whose file they share.
  const migrateBesideOthers = engine === 'sqlite' ? run : runHere
  describe(`the schema [${engine}]`, () => {
    test('migrate brings an empty database up to date, and does nothing the second time', async t => {
      const { settings } = await emptyDatabaseFor(t, engine)
      const first = await runHere(['migrate'], settings)
      assert.deepEqual([first.code, first.stderr], [0, ''])
      assert.match(first.stdout, /^(Done: \d{4}-[\w-]+\n)+$/)
      const second = await runHere(['migrate'], settings)
      assert.deepEqual([second.code, second.stdout, second.stderr], [0, 'Nothing to do.\n', ''])
    })

    test(`${together} migrations at once: each migration runs once, and no process fails`, async t => {
      const { settings } = await emptyDatabaseFor(t, engine)
      const all = await Promise.all(
        Array.from({ length: together }, () => migrateBesideOthers(['migrate'], settings)),
      )
      assert.deepEqual(
        all.map(({ code, stderr }) => [code, stderr]),
        all.map(() => [0, '']),
      )
      const done = all.flatMap(({ stdout }) => stdout.match(/^Done: .*$/gm) ?? [])
      assert.ok(done.length > 0)
      assert.equal(new Set(done).size, done.length)
    })

    test('a newer schema on which this release can run is served, and the log says so', async t => {
      const database = await emptyDatabaseFor(t, engine)
      await comeFromTheFuture(database, '0.1.0')
      const serving = await serveHereFor(t, database)
      assert.equal((await call(serving, '/health/ready')).status, 200)
      await serving.stop()
      const lines = logLines(serving.log()).filter(line => line['unknown'] === '9999-future')
      assert.deepEqual(
        lines.map(({ msg }) => msg),
        ['the schema is that of a newer release, on which this one runs too'],
      )
      const migrated = await runHere(['migrate'], database.settings)
      assert.deepEqual([migrated.code, migrated.stderr], [0, ''])
      assert.match(migrated.stdout, /^Nothing to do/)
      assert.equal((await runHere(['advertiser', 'list'], database.settings)).code, 0)
    })

    test('another one is refused by serve, by migrate and by the other commands', async t => {
      const database = await emptyDatabaseFor(t, engine)
      // One beyond every release, or without a mark.
      await comeFromTheFuture(database, engine === 'sqlite' ? '9999.0.0' : null)
      assert.match(await refusalHere(database.settings), /9999-future/)
      for (const args of [['migrate'], ['advertiser', 'list']]) {
        const { code, stdout, stderr } = await runHere(args, database.settings)
        assert.deepEqual([code, stdout], [4, ''], args.join(' '))
        assert.match(stderr, /^dossier: [^\n]*(newer|9999-future)[^\n]*\n$/)
      }
    })

    test('upgrade --check says what would run, and changes nothing', async t => {
      const database = await emptyDatabaseFor(t, engine)
      const before = await runHere(['upgrade', '--check'], database.settings)
      assert.deepEqual([before.code, before.stderr], [0, ''])
      assert.match(
        before.stdout,
        /^ok {5}release {3}0\.1\.0: (the next start migrates|run "dossier migrate")$/m,
      )
      assert.match(
        before.stdout,
        /^ok {5}expand {4}0001-foundation; .* wait .*; 0\.1\.0 and later run on it/m,
      )
      assert.match(before.stdout, /^ok {5}nodes {5}none is running$/m)
      assert.equal(/ disk /.test(before.stdout), engine === 'sqlite')
      await runHere(['migrate'], database.settings)
      const after = await runHere(['upgrade', '--check', '--json'], database.settings)
      assert.equal(JSON.parse(after.stdout)[0].says, '0.1.0, the schema is current')
      await runSql(database, "delete from schema_migrations where name = '0010-set-back'")
      const pending = await runHere(['upgrade', '--check'], { ...database.settings, BACKUP_URL: '/none' })
      assert.equal(pending.code, 1)
      assert.match(
        pending.stdout,
        /^ok {5}expand {4}0010-set-back: adds two tables.*; (writes|requests) wait /m,
      )
      assert.match(pending.stdout, /^WRONG {2}backup {4}no set has been made yet: run "dossier backup"/m)
      await comeFromTheFuture(database, '9999.0.0')
      const newer = await runHere(['upgrade', '--check'], database.settings)
      assert.deepEqual([newer.code, newer.stderr], [1, 'dossier: 1 of 1 checks failed.\n'])
      assert.match(newer.stdout, /^WRONG {2}release.*9999-future.*cannot run on it$/m)
    })

    test('a node stays ready when the database is migrated ahead of it', async t => {
      const database = await databaseFor(t, engine)
      const services = await open(database.settings)
      await comeFromTheFuture(database)
      const { state } = await services.schema.state()
      const checks = Object.values(readinessChecks(appOf(services))).map(check => check())
      const outcomes = await Promise.allSettled(checks)
      // Before the database is dropped, which would wait for it.
      await services.close()
      assert.equal(state, 'newer')
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        outcomes.map(() => 'fulfilled'),
      )
    })
  })
}

test('an older PostgreSQL is refused, and the line says what to run', async t => {
  const database = await emptyDatabaseFor(t, 'postgres')
  assert.match(await refusalHere(database.settings), /0001-foundation.*"dossier migrate"/)
  assert.equal((await runHere(['migrate'], database.settings)).code, 0)
  const serving = await serveHereFor(t, database)
  assert.equal((await call(serving, '/health/ready')).status, 200)
  await serving.stop()
})

test('an empty SQLite is brought up to date however many services start on it at once', async t => {
  const database = await databaseFor(t, 'sqlite')
  // In `npm test`, the processes that migrate at once are those of `dossier migrate`, above.
  const serve = isLongRun ? serveFor : serveHereFor
  const servings = await Promise.all(Array.from({ length: 3 }, () => serve(t, database)))
  for (const serving of servings) {
    assert.equal((await call(serving, '/health/ready')).status, 200)
    await serving.stop()
  }
})
