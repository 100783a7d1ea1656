import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { movableClock } from '../../../../test/harness/clock.ts'
import { withServices } from '../../../../test/harness/database.ts'
import { times } from '../../../../test/harness/effort.ts'
import { createSlidingCountStore } from './sliding-count-store.ts'
import { SlidingLimit } from './sliding-limit.ts'

const minute = 60_000
const hour = 60 * minute
const start = Date.parse('2026-11-14T00:00:00Z')

withServices('a limit of the last hour', services => {
  const clock = movableClock(start)
  let keys = 0
  const newKey = () => `key ${++keys}`
  const limitOf = (max: number) =>
    new SlidingLimit({ name: 'hourly', max, clock, store: createSlidingCountStore(services().database) })

  test('holds around the end of an hour of the clock, and says when there is room again', async () => {
    const [limit, key] = [limitOf(3), newKey()]
    clock.set(start + hour - minute)
    assert.deepEqual(await limit.hit(key), { remaining: 2, resetSeconds: 61 * 60, isExceeded: false })
    clock.set(start + hour - 1)
    assert.equal((await limit.hit(key)).remaining, 1)
    assert.equal((await limit.hit(key)).remaining, 0)
    clock.set(start + hour)
    const { resetSeconds, ...refused } = await limit.hit(key)
    assert.deepEqual(refused, { remaining: 0, isExceeded: true })
    assert.equal((await limit.hit(newKey())).isExceeded, false, 'another key')
    clock.advance(resetSeconds * 1000 - 1)
    assert.equal((await limit.hit(key)).isExceeded, true)
    clock.advance(1)
    assert.equal((await limit.hit(key)).isExceeded, false)
  })

  test('never has more hits in an hour than it may, and room after as long as it says', async () => {
    const steps = fc.constantFrom(0, 1000, minute, 10 * minute, 29 * minute, hour)
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 25 }), async pauses => {
        const [limit, key, passed] = [limitOf(4), newKey(), [] as number[]]
        for (const pause of pauses) {
          clock.advance(pause)
          const usage = await limit.hit(key)
          const inLastHour = () => passed.filter(at => at > clock() - hour).length
          if (!usage.isExceeded) passed.push(clock())
          else assert.ok(passed.filter(at => at > clock() - hour - minute).length >= 4)
          assert.ok(inLastHour() <= 4)
          assert.ok(usage.resetSeconds >= 1 && usage.resetSeconds <= 61 * 60)
          if (!usage.isExceeded) continue
          clock.advance(usage.resetSeconds * 1000)
          assert.equal((await limit.hit(key)).isExceeded, false)
          passed.push(clock())
        }
      }),
      { numRuns: times(8, 50) },
    )
  })

  test('counts hits at the same time exactly, on several nodes', async () => {
    const key = newKey()
    const limits = [limitOf(10), limitOf(10), limitOf(10)]
    const hits = limits.flatMap(limit => Array.from({ length: 8 }, () => limit.hit(key)))
    const passed = (await Promise.all(hits)).filter(({ isExceeded }) => !isExceeded)
    assert.equal(passed.length, 10)
  })

  test('neither frees nor locks a caller when the clock is set back', async () => {
    const [limit, key] = [limitOf(2), newKey()]
    clock.set(start + 10 * hour)
    await limit.hit(key)
    await limit.hit(key)
    clock.advance(-30 * minute)
    assert.equal((await limit.hit(key)).isExceeded, true)
    // Hits by a clock that was far ahead.
    clock.set(start + 2 * hour)
    assert.equal((await limit.hit(key)).isExceeded, false)
  })
})
