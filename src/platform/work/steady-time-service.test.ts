import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { recordLog } from '../../../test/harness/log.ts'
import { createServiceClockStore } from './service-clock-store.ts'
import { createSteadyTimes } from './steady-time-service.ts'

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]
const noon = Date.parse('2026-11-14T12:00:00Z')

withServices('running time, and a clock that is in doubt', services => {
  beforeEach(() => services().database.writer.deleteFrom('service_clock').execute())

  /** A process with a clock that can be set, and one that cannot. */
  function process(at = noon) {
    const [clock, steadyClock] = [movableClock(at), movableClock(5_000)]
    const { log, lines } = recordLog()
    const store = createServiceClockStore(services().database)
    const { look, confirm, read } = createSteadyTimes({ store, clock, steadyClock, log })
    return {
      clock,
      look,
      confirm,
      read,
      lines,
      pass(ms: number) {
        clock.advance(ms)
        steadyClock.advance(ms)
        return look()
      },
    }
  }
  const paused = async (look: Promise<{ pausedMs: number }>) => (await look).pausedMs

  test('counts the time that passes, in one process after the other', async () => {
    const one = process()
    assert.deepEqual(await one.look(), { runningMs: 0, pausedMs: 0, doubtMs: 0 })
    assert.equal((await one.pass(minuteMs)).runningMs, minuteMs)
    const two = process(one.clock() + 10 * minuteMs)
    assert.equal((await two.look()).runningMs, minuteMs)
    assert.equal((await two.pass(minuteMs)).runningMs, 2 * minuteMs)
    assert.deepEqual(two.lines, [])
  })

  test('counts time once, however many processes look', async () => {
    const [one, two] = [process(), process()]
    await one.look()
    for (let minute = 0; minute < 20; minute++) {
      await one.pass(30_000)
      await two.pass(30_000)
      await one.pass(30_000)
      await two.pass(30_000)
    }
    const { runningMs } = await one.read()
    assert.ok(runningMs <= 20 * minuteMs, 'never more than has passed')
    assert.ok(runningMs >= 19 * minuteMs, `nearly all of it: ${runningMs}`)
  })

  for (const [what, ms] of [
    ['forward', 3_650 * dayMs],
    ['back', -dayMs],
  ] as const)
    test(`a clock that jumps ${what} is in doubt for a day of running time`, async () => {
      const { clock, look, pass, lines, read } = process()
      await look()
      await pass(hourMs)
      clock.advance(ms)
      assert.equal(await paused(look()), dayMs)
      assert.deepEqual(
        lines.map(({ level, fields }) => ({ level, fields })),
        [{ level: 'warn', fields: { seconds: ms / 1000 } }],
      )
      assert.equal(await paused(pass(dayMs - 1)), 1)
      assert.equal((await read()).doubtMs, ms)
      assert.equal(await paused(pass(1)), 0)
      assert.equal(await paused(pass(minuteMs)), 0)
    })

  test('a clock that is corrected after a jump is in doubt from then on', async () => {
    const { clock, look, pass } = process()
    await look()
    clock.advance(40 * dayMs)
    await look()
    await pass(hourMs)
    clock.advance(-40 * dayMs)
    assert.equal(await paused(look()), dayMs)
  })

  test('a jump that no process sees, because the service was stopped, is found at the next start', async () => {
    const before = process()
    await before.look()
    await before.pass(minuteMs)
    assert.equal(await paused(process(before.clock() + hourMs).look()), 0, 'an hour is no gap')
    assert.equal(await paused(process(before.clock() + hourMs + 1).look()), dayMs)
  })

  test('after release 0.1.0, the last run of a task is the last sign of life', async () => {
    const run = { name: 'expiry', everySeconds: 600, startedAt: noon, endedAt: noon, detail: { did: {} } }
    await services().taskRuns.record({ ...run, outcome: 'done' })
    assert.equal(await paused(process(noon + 400 * dayMs).look()), dayMs)
    await services().database.writer.deleteFrom('task_runs').execute()
  })

  test('a machine that is switched off each night comes out of doubt, one whose clock races does not', async () => {
    let at = noon
    let ended = 0
    for (let day = 0; day < 6; day++) {
      const { clock, look, pass } = process(at)
      await look()
      for (let hour = 0; hour < 10; hour++) if ((await paused(pass(hourMs))) === 0) ended++
      at = clock() + 14 * hourMs
    }
    assert.ok(ended > 10, 'the first day, and every third one')
    const racing = process(at)
    for (let hour = 0; hour < 60; hour++) {
      racing.clock.advance(3 * dayMs)
      assert.notEqual(await paused(racing.pass(hourMs)), 0)
    }
  })

  test('an operator confirms the clock, on record', async () => {
    const { clock, look, confirm, pass } = process()
    await look()
    assert.equal(await confirm(), false)
    clock.advance(5 * dayMs)
    await look()
    assert.equal(await confirm(), true)
    assert.equal(await paused(pass(minuteMs)), 0)
    const [entry] = await services().auditLog.list('board', { action: 'clock.confirm' }, undefined, 5)
    assert.deepEqual(JSON.parse(entry?.after ?? ''), { doubtMs: 5 * dayMs })
  })
})
