import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { harbourId } from '../../src/demo/world/world.ts'
import { correctDates } from '../../src/operator/upkeep/future-dates-store.ts'
import { createJumpWatch } from '../../src/platform/core/clock.ts'
import { clockDifference } from '../../src/platform/database/database-clock.ts'
import { readConfig } from '../../src/settings.ts'
import { movableClock } from '../harness/clock.ts'
import { startHere } from '../harness/command.ts'
import { engines, open, silentLog, type TestDatabase } from '../harness/database.ts'
import { usePostBox } from '../harness/post-box.ts'
import { findLogLine } from '../harness/process.ts'
import { openServices } from '../harness/services.ts'
import { logLines } from '../harness/serving.ts'
import { draftOf, prepareTenant, putFile } from '../harness/tenant.ts'
import { databaseFor, runHere, runSql } from './support.ts'

const minuteMs = 60_000
const dayMs = 1_440 * minuteMs

/** The clock of this machine, which continues from there. */
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
  test(`a clock that is wrong by ${aheadMs / minuteMs} minutes is reported by the doctor and at the start`, async t => {
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

test('a clock that is right is reported by the doctor alone', async t => {
  const { settings } = await databaseFor(t, 'postgres')
  assert.match((await runHere(['doctor'], settings)).stdout, /^ok {5}clock +that of the database/m)
  const service = await runHere(['work'], settings)
  assert.ok(findLogLine(service.stdout, 'stopped'))
  assert.equal(warning(service.stdout), undefined)
})

test('data removed by age stays while the clock is wrong', async t => {
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
  const failed = [...wrong.stdout.matchAll(/^(\S+) +failed$/gm)].map(([, task]) => task)
  assert.deepEqual(failed, ['expiry', 'retention', 'erasure', 'clean-up'])
  assert.match(wrong.stderr, /\d{6}\.\d seconds ahead of that of the database/)
  t.mock.restoreAll()
  const right = await runHere(['work', '--once'], database.settings)
  // Some of the demo's events are older than they are kept.
  assert.equal(right.code, 0)
  assert.match(right.stdout, /^expiry +(nothing to do|\d+ events)\n/)
})

test('a node whose clock stays ahead ends nothing by age, even when it is not in doubt', async t => {
  const database = await databaseFor(t, 'postgres', 'demo')
  const services = await openServices(
    readConfig(database.settings),
    silentLog,
    movableClock(Date.now() + 4 * dayMs),
  )
  t.after(() => services.close())
  services.stopWaking()
  await usePostBox(services).sent()
  await services.steadyTimes.confirm()
  const now = Date.now()
  const notices = [{ what: 'password-changed', times: 1, at: now }]
  const content = JSON.stringify({ email: 'anna@example.net', notices })
  const hour = Math.floor((now - 27 * dayMs) / 3_600_000)
  const hook = { url: 'https://receiver.example.com/', types: ['application.created'], description: '' }
  const { endpoint } = await services.webhooks.add({ advertiserId: harbourId }, { ...hook, scheme: 'v1' })
  await runSql(
    database,
    `insert into deliveries (id, kind, content, state, attempts, created_at, due_at, give_up_at)
        values ('digest', 'security-digest', '${content}', 'waiting', 0, ${now}, ${now}, ${now + 3 * dayMs});
      insert into webhook_hours (endpoint_id, hour, accepted, failed) values ('${endpoint.id}', ${hour}, 1, 0)`,
  )
  for (const task of services.work.tasks) await services.work.run(task)
  assert.equal((await services.steadyTimes.read()).pausedMs, 0)
  const { reader } = services.database
  const email = reader.selectFrom('deliveries').select(['state', 'content']).where('id', '=', 'digest')
  assert.deepEqual(await email.executeTakeFirst(), { state: 'waiting', content })
  const hours = reader.selectFrom('webhook_hours').select('hour').where('hour', '=', hour)
  assert.equal((await hours.execute()).length, 1)
})

test('SQLite has no other clock', async t => {
  const { settings } = await databaseFor(t, 'sqlite', 'empty')
  setClock(t, 3 * dayMs)
  const { code, stdout } = await runHere(['doctor'], settings)
  assert.equal(code, 0)
  assert.doesNotMatch(stdout, /clock/)
  assert.equal((await runHere(['work', '--once'], settings)).code, 0)
})

test('a slow round trip to the database is not a fault of the clock', async t => {
  const { database, close } = await open((await databaseFor(t, 'postgres')).settings)
  t.after(close)
  const readings = [Date.now() - 5 * minuteMs, Date.now() + 5 * minuteMs]
  assert.equal(await clockDifference(database, () => readings.shift() as number), 0)
})

/** Applies once, with a clock that is wrong by this much. */
async function applyAt({ settings }: TestDatabase, advertiserId: number, aheadMs: number): Promise<void> {
  const services = await open(settings, () => Date.now() + aheadMs)
  const file = await putFile(services, 'resume', Buffer.from('A resume.'))
  const attached = { ...file, uploadedAt: Date.now() + aheadMs }
  await services.submissions.add(advertiserId, draftOf('any', [attached]))
  await services.close()
}

/** As version 1 shows them: each date of an application and of its file, by ascending ID. */
async function datesOf({ settings }: TestDatabase, advertiserId: number): Promise<number[][]> {
  const services = await open(settings)
  const rows = await services.database.reader
    .selectFrom('application_pieces')
    .select('body')
    .where('advertiser_id', '=', advertiserId)
    .where('format', '=', 'json')
    .orderBy('id')
    .execute()
  await services.close()
  return rows.map(({ body }) => [...body.matchAll(/\/Date\((\d+)/g)].map(([, ms]) => Number(ms)))
}

function assertInOrder(dates: number[][], latest: number): void {
  const submitted = dates.map(([first]) => Number(first))
  assert.deepEqual(
    submitted,
    submitted.toSorted((a, b) => a - b),
  )
  assert.ok(Math.max(...dates.flat()) <= latest, JSON.stringify(dates))
}

for (const engine of engines) {
  test(`a clock that was ahead: start and doctor say so, and the command re-dates later applications [${engine}]`, async t => {
    const database = await databaseFor(t, engine, 'empty')
    const { settings } = database
    const { advertiserId } = await prepareTenant(database)
    for (const aheadMs of [0, 3650 * dayMs, 0, 0]) await applyAt(database, advertiserId, aheadMs)
    const wrong = /applications to 1 of the advertisers are dated up to 2\d{3}-.*"dossier clock settle --now/
    const doctor = await runHere(['doctor'], settings)
    assert.equal(doctor.code, 1)
    assert.match(doctor.stdout, new RegExp(`^WRONG {2}clock +${wrong.source}`, 'm'))
    const service = await runHere(['serve'], { ...settings, PORT: '0', ADMIN_PORT: '0', HOST: '127.0.0.1' })
    assert.match(service.stdout, wrong)

    const hourLater = new Date(Date.now() + 60 * minuteMs).toISOString()
    const refused = await runHere(['clock', 'settle', '--now', hourLater], settings)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /is \d+\.\d seconds behind --now\. Correct it first\./)

    const settled = await runHere(['clock', 'settle', '--now', new Date().toISOString()], settings)
    assert.deepEqual(
      [settled.code, settled.stdout],
      [0, '3 applications to 1 advertisers are now dated with the current time.\n'],
      settled.stderr,
    )
    const dates = await datesOf(database, advertiserId)
    assertInOrder(dates, Date.now())
    assert.ok(dates.every(each => each.length >= 2))
    await applyAt(database, advertiserId, 0)
    assertInOrder(await datesOf(database, advertiserId), Date.now())
    assert.equal((await runHere(['doctor'], settings)).code, 0)
    const again = await runHere(['clock', 'settle', '--now', new Date().toISOString()], settings)
    assert.equal(again.stdout, 'No application is dated in the future.\n')
  })

  test(`dates are in order after each of its steps, also for applications that arrive meanwhile [${engine}]`, async t => {
    const database = await databaseFor(t, engine, 'empty')
    const { advertiserId } = await prepareTenant(database)
    for (const aheadMs of [0, dayMs, 2 * dayMs, 3 * dayMs]) await applyAt(database, advertiserId, aheadMs)
    const services = await open(database.settings)
    t.after(() => services.close())
    const seen: number[][][] = []
    // Before each step of the ledger: what other readers see, and one more application.
    const { writer } = services.database
    const transaction = writer.transaction.bind(writer)
    let isAdding = false
    t.mock.method(writer, 'transaction', () => {
      const builder = transaction()
      const execute = builder.execute.bind(builder)
      return Object.assign(builder, {
        async execute(body: Parameters<typeof execute>[0]) {
          if (!isAdding) {
            isAdding = true
            seen.push(await datesOf(database, advertiserId))
            if (seen.length < 3) await applyAt(database, advertiserId, 0)
            isAdding = false
          }
          return execute(body)
        },
      })
    })
    const { applications } = await correctDates(services.database, Date.now(), 2)
    assert.equal(applications, 5)
    assert.ok(seen.length >= 3)
    for (const dates of seen) assertInOrder(dates, Number.POSITIVE_INFINITY)
    assertInOrder(await datesOf(database, advertiserId), Date.now())
  })
}

for (const engine of engines) {
  test(`a clock that is ahead for one run of each task removes nothing by age [${engine}]`, async t => {
    const database = await databaseFor(t, engine, 'demo')
    const [clock, steady] = [movableClock(Date.now()), movableClock()]
    const services = await openServices(readConfig(database.settings), silentLog, clock, steady)
    t.after(() => services.close())
    const pass = async (ms: number) => {
      clock.advance(ms)
      steady.advance(ms)
      await services.steadyTimes.look()
    }
    await pass(0)
    services.stopWaking()
    const box = usePostBox(services)
    await box.sent()
    const notices = [{ what: 'password-changed', times: 1, at: clock() }]
    const content = JSON.stringify({ email: 'anna@example.net', notices })
    await runSql(
      database,
      `insert into deliveries (id, kind, content, state, attempts, created_at, due_at, give_up_at)
        values ('digest', 'security-digest', '${content}', 'waiting', 0, ${clock()}, ${clock()}, ${clock() + 7 * dayMs})`,
    )
    for await (const { advertiserId } of services.retention.all())
      await services.retention.choose(advertiserId, 12)
    await runSql(
      database,
      `insert into sessions (hash, id, candidate_id, browser, created_at, last_used_at, expires_at)
        select 'alive', 'alive', min(id), '', 0, 0, ${clock() + dayMs} from candidates`,
    )
    const runAll = async () => {
      for (const task of services.work.tasks) await services.work.run(task)
    }
    const rows = async () => {
      const count = (table: 'sessions' | 'applications' | 'events' | 'erasures') =>
        services.database.reader
          .selectFrom(table)
          .select(({ fn }) => fn.countAll<number>().as('rows'))
          .$if(table === 'applications', query => query.where('erased_at' as never, 'is', null as never))
          .executeTakeFirstOrThrow()
      const tables = ['sessions', 'applications', 'events', 'erasures'] as const
      return Promise.all(tables.map(async table => [table, (await count(table)).rows]))
    }
    const kept = await rows()
    // By then the announced period has taken effect, and every application is due.
    clock.advance(900 * dayMs)
    await runAll()
    assert.deepEqual(await rows(), kept)
    clock.advance(-900 * dayMs)
    const { months, change } = await services.retention.of(harbourId)
    assert.deepEqual([months, change?.months], [null, 12], 'it can still be taken back')
    assert.equal(box.mails.length, 0)
    await runAll()
    assert.ok(box.mails.some(({ to }) => to === 'anna@example.net'))
    await pass(dayMs - 1)
    await runAll()
    assert.deepEqual(await rows(), kept, 'nor after it was corrected')
  })

  test(`a start long after the last sign of life: log, doctor and command [${engine}]`, async t => {
    const database = await databaseFor(t, engine, 'empty')
    const { settings } = database
    await runSql(
      database,
      `insert into service_clock (id, ticks, running_ms, seen_at, doubt_ms, further_ms)
        values (1, 1, 5, ${Date.now() - 3 * dayMs}, 0, 0)`,
    )
    assert.match(
      (await runHere(['work'], settings)).stdout,
      /the clock is in doubt: nothing is removed by age/,
    )
    const doctor = await runHere(['doctor'], settings)
    assert.equal(doctor.code, 1)
    assert.match(
      doctor.stdout,
      /^WRONG {2}clock +was 73 hours ahead of .*until the service has run for 24 hours more.*"dossier clock confirm --now/m,
    )
    const tomorrow = new Date(Date.now() + dayMs).toISOString()
    const refused = await runHere(['clock', 'confirm', '--now', tomorrow], settings)
    assert.match(refused.stderr, /seconds behind --now\. Correct it first/)
    const now = () => new Date().toISOString()
    assert.match((await runHere(['clock', 'confirm', '--now', now()], settings)).stdout, /is trusted again/)
    assert.match((await runHere(['clock', 'confirm', '--now', now()], settings)).stdout, /not in doubt/)
    assert.equal((await runHere(['doctor'], settings)).code, 0)
  })
}

test('a jump is a difference to a steady clock, and is logged once', () => {
  let [wall, steady] = [1_000_000, 5_000]
  const jumped = createJumpWatch(
    () => wall,
    () => steady,
    2_000,
  )
  const pass = (wallMs: number, steadyMs: number) => {
    wall += wallMs
    steady += steadyMs
    return jumped()
  }
  assert.equal(pass(1_000, 1_000), undefined)
  assert.equal(pass(60_000, 60_500), undefined)
  assert.equal(pass(3_600_000, 1_000), 3_599_000)
  assert.equal(pass(1_000, 1_000), undefined)
  assert.equal(pass(-3_599_000, 1_000), -3_600_000)
})

for (const engine of engines) {
  test(`a service logs that its clock has jumped, and the consequences [${engine}]`, async t => {
    const database = await databaseFor(t, engine, 'empty')
    const { advertiserId } = await prepareTenant(database)
    const running = startHere(['serve'], {
      ...database.settings,
      PORT: '0',
      ADMIN_PORT: '0',
      HOST: '127.0.0.1',
    })
    const told = (words: string) =>
      running.until(stdout => logLines(stdout).find(({ msg }) => msg.includes(words)))
    const { adminUrl } = await told('listening')
    setClock(t, dayMs)
    assert.ok(Number((await told('has jumped forward'))['seconds']) > 86_000)
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
    const [, paused] = /^dossier_removal_paused_seconds (\S+)$/m.exec(metrics) ?? []
    assert.ok(Number(paused) > 86_000, paused)
    t.mock.restoreAll()
    await told('has jumped back')
    await applyAt(database, advertiserId, dayMs)
    setClock(t, minuteMs)
    await told('dossier clock settle')
    running.stop()
    assert.equal((await running.finished).code, 0)
  })
}
