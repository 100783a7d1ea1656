import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { clockDifference } from '../../src/storage/database-clock.ts'
import { open } from '../harness/database.ts'
import { findLogLine } from '../harness/process.ts'
import { databaseFor, runHere, runSql } from './support.ts'

const minuteMs = 60_000
const dayMs = 1_440 * minuteMs

/** The clock of this machine, which runs on from there. */
function setClock(t: TestContext, aheadMs: number): void {
  const now = Date.now.bind(Date)
  t.mock.method(Date, 'now', () => now() + aheadMs)
}

const warning = (stdout: string) =>
  stdout.split('\n').find(line => line.includes('that of the database: synchronise both'))

for (const [aheadMs, words] of [
  [5 * minuteMs, /is \d{3}\.\d seconds ahead of that of the database/],
  [-365 * dayMs, /is \d{8}\.\d seconds behind that of the database/],
] as const) {
  test(`a clock that is wrong by ${aheadMs / minuteMs} minutes is told by the doctor and at the start`, async t => {
    const { settings } = await databaseFor(t, 'postgres')
    setClock(t, aheadMs)
    const { code, stdout } = await runHere(['doctor'], settings)
    assert.equal(code, 1)
    assert.match(stdout, new RegExp(`^WRONG {2}clock +${words.source}: synchronise .*NTP`, 'm'))
    for (const command of ['serve', 'work']) {
      const service = await runHere([command], { ...settings, PORT: '0', ADMIN_PORT: '0', HOST: '127.0.0.1' })
      assert.match(warning(service.stdout) ?? '', words)
    }
  })
}

test('a clock that is right is told by the doctor alone', async t => {
  const { settings } = await databaseFor(t, 'postgres')
  assert.match((await runHere(['doctor'], settings)).stdout, /^ok {5}clock +that of the database/m)
  const service = await runHere(['work'], settings)
  assert.ok(findLogLine(service.stdout, 'stopped'))
  assert.equal(warning(service.stdout), undefined)
})

test('what is removed by its age stays while the clock is wrong', async t => {
  const database = await databaseFor(t, 'postgres', 'demo')
  const tomorrow = Date.now() + dayMs
  await runSql(
    database,
    `insert into sessions (hash, id, candidate_id, browser, created_at, last_used_at, expires_at)
      select 'alive', 'alive', min(id), '', 0, 0, ${tomorrow} from candidates`,
  )
  setClock(t, 3 * dayMs)
  const wrong = await runHere(['work', '--once'], database.settings)
  assert.equal(wrong.code, 1)
  assert.equal(wrong.stdout, 'expiry    failed\nerasure   failed\nclean-up  failed\n')
  assert.match(wrong.stderr, /\d{6}\.\d seconds ahead of that of the database/)
  t.mock.restoreAll()
  const right = await runHere(['work', '--once'], database.settings)
  assert.deepEqual([right.code, right.stdout.split('\n')[0]], [0, 'expiry    nothing to do'])
})

test('SQLite has no other clock', async t => {
  const { settings } = await databaseFor(t, 'sqlite')
  setClock(t, 3 * dayMs)
  const { code, stdout } = await runHere(['doctor'], settings)
  assert.equal(code, 0)
  assert.doesNotMatch(stdout, /clock/)
  assert.equal((await runHere(['work', '--once'], settings)).code, 0)
})

test('a long way to the database and back is no fault of the clock', async t => {
  const { database, close } = await open((await databaseFor(t, 'postgres')).settings)
  t.after(close)
  const readings = [Date.now() - 5 * minuteMs, Date.now() + 5 * minuteMs]
  assert.equal(await clockDifference(database, () => readings.shift() as number), 0)
})
