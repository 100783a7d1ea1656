import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainDraft } from '../../test/harness/applications.ts'
import { movableClock } from '../../test/harness/clock.ts'
import { withServices } from '../../test/harness/database.ts'
import { noLog, recordLog } from '../../test/harness/log.ts'
import { createBackground } from '../platform/core/async/background.ts'
import { createUsage, type DayOfUsage } from './usage-service.ts'
import { type CallCount, createUsageStore, type UsageStore } from './usage-store.ts'

const at = (text: string) => Date.parse(text)
const clock = movableClock(at('2026-11-14T12:00:00+10:00'))
const dayOf = (days: readonly DayOfUsage[], day: string) => days.find(each => each.day === day)

withServices('usage', { clock }, services => {
  const newAdvertiser = async () => (await services().advertisers.add('Counted')).id
  /** Another node on the same database. */
  const node = (store: UsageStore = createUsageStore(services().database)) => {
    const { log, lines } = recordLog()
    const background = createBackground(log)
    const usage = createUsage({ store, background, clock })
    return { ...usage, lines, settle: background.whenIdle }
  }
  const apply = (advertiserId: number) => services().submissions.add(advertiserId, plainDraft())

  test('the last thirty days are listed oldest first, without gaps', async () => {
    clock.set(at('2026-11-14T12:00:00+10:00'))
    const days = await node().lastDays(await newAdvertiser())
    assert.equal(days.length, 30)
    assert.deepEqual(days[0], { day: '2026-10-16', applications: 0, calls: 0 })
    assert.deepEqual(days.at(-1), { day: '2026-11-14', applications: 0, calls: 0 })
    assert.equal(new Set(days.map(({ day }) => day)).size, 30)
  })

  test('calls of several nodes and flushes add up, each for its advertiser', async () => {
    const [one, other] = [await newAdvertiser(), await newAdvertiser()]
    const [first, second] = [node(), node()]
    for (let call = 0; call < 5; call++) first.countCall(one)
    second.countCall(one)
    second.countCall(other)
    await Promise.all([first.flush(), second.flush()])
    first.countCall(one)
    await first.flush()
    await first.flush()
    const today = async (advertiserId: number) => (await first.lastDays(advertiserId)).at(-1)?.calls
    assert.equal(await today(one), 7)
    assert.equal(await today(other), 1)
  })

  test('a day ends at midnight in AEST', async () => {
    const advertiserId = await newAdvertiser()
    const usage = node()
    clock.set(at('2026-11-14T13:59:59.999Z'))
    usage.countCall(advertiserId)
    clock.set(at('2026-11-14T14:00:00.000Z'))
    usage.countCall(advertiserId)
    usage.countCall(advertiserId)
    // A clock that was set back.
    clock.set(at('2026-11-14T13:00:00.000Z'))
    usage.countCall(advertiserId)
    clock.set(at('2026-11-15T00:00:00.000Z'))
    await usage.flush()
    const days = await usage.lastDays(advertiserId)
    assert.equal(dayOf(days, '2026-11-14')?.calls, 2)
    assert.equal(dayOf(days, '2026-11-15')?.calls, 2)
  })

  test('counts that could not be written are written with the next batch, exactly once', async () => {
    const advertiserIds = [await newAdvertiser(), await newAdvertiser()]
    const store = createUsageStore(services().database)
    const batches: number[] = []
    const failing = {
      ...store,
      async addCalls(counts: readonly CallCount[]) {
        batches.push(counts.length)
        if (batches.length === 2) throw new Error('the database is away')
        await store.addCalls(counts)
      },
    }
    const usage = createUsage({
      store: failing,
      background: createBackground(noLog),
      clock,
      flushRows: 1,
    })
    for (const id of advertiserIds) usage.countCall(id)
    await assert.rejects(usage.flush(), /is away/)
    for (const id of advertiserIds) usage.countCall(id)
    await usage.close()
    assert.deepEqual(batches, [1, 1, 1, 1])
    for (const id of advertiserIds) assert.equal((await usage.lastDays(id)).at(-1)?.calls, 2)
  })

  test('calls that cannot be written at shutdown are reported', async () => {
    const store = createUsageStore(services().database)
    const usage = node({ ...store, addCalls: () => Promise.reject(new Error('the database is away')) })
    usage.countCall(await newAdvertiser())
    await usage.close()
    assert.match(String(usage.lines[0]?.fields['err']), /is away/)
  })

  test('a deleted advertiser does not keep the others from being written', async () => {
    const advertiserId = await newAdvertiser()
    const usage = node()
    usage.countCall(99_999_999)
    usage.countCall(advertiserId)
    await usage.flush()
    assert.equal((await usage.lastDays(advertiserId)).at(-1)?.calls, 1)
  })

  test('days before that of the newest application are counted once, the others each time', async () => {
    const advertiserId = await newAdvertiser()
    for (const time of [
      '2026-11-17T23:59:59+10:00',
      '2026-11-19T00:00:00+10:00',
      '2026-11-20T09:00:00+10:00',
    ]) {
      clock.set(at(time))
      await apply(advertiserId)
    }
    const store = createUsageStore(services().database)
    const counted: string[] = []
    const usage = node({
      ...store,
      countApplications(id, from, before) {
        counted.push(new Date(from + 36_000_000).toISOString().slice(0, 10))
        return store.countApplications(id, from, before)
      },
    })
    const look = async () => {
      counted.length = 0
      const days = await usage.lastDays(advertiserId)
      await usage.settle()
      return days.filter(({ applications }) => applications > 0)
    }
    const expected = ['2026-11-17', '2026-11-19', '2026-11-20'].map(day => ({
      day,
      applications: 1,
      calls: 0,
    }))
    assert.deepEqual(await look(), expected)
    assert.equal(counted.length, 30)
    assert.deepEqual(await look(), expected)
    assert.deepEqual(counted, ['2026-11-20'])

    // For it, the day of its newest application is not over, whatever the clock says.
    clock.set(at('2026-11-22T09:00:00+10:00'))
    await look()
    assert.deepEqual(counted, ['2026-11-20'])
    await apply(advertiserId)
    assert.deepEqual(
      (await look()).map(({ day }) => day),
      ['2026-11-17', '2026-11-19', '2026-11-20', '2026-11-22'],
    )
    assert.deepEqual(counted, ['2026-11-20', '2026-11-21', '2026-11-22'])
    await look()
    assert.deepEqual(counted, ['2026-11-22'])
    const kept = await store.countedDays(advertiserId, '2026-11-17')
    assert.deepEqual(
      kept.map(({ count }) => count),
      [1, 0, 1, 1, 0],
    )
    assert.deepEqual(usage.lines, [])
  })

  test('an advertiser never sees the counts of another', async () => {
    const advertiserId = await newAdvertiser()
    await apply(advertiserId)
    const usage = node()
    usage.countCall(advertiserId)
    await usage.flush()
    const days = await usage.lastDays(await newAdvertiser())
    assert.ok(days.every(({ applications, calls }) => applications === 0 && calls === 0))
  })
})
