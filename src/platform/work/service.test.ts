import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { movableClock } from '../../../test/harness/clock.ts'
import { recordLog } from '../../../test/harness/log.ts'
import type { LeaseStore } from '../core/async/leases.ts'
import type { GoesOn, Task, WorkDone } from '../core/task-ports.ts'
import { createWorker, leaseSeconds } from './service.ts'

/** Leases as the database keeps them, which has tests of its own. */
function memoryLeases(): LeaseStore & { held: Map<string, { holder: string; until: number }> } {
  const held = new Map<string, { holder: string; until: number }>()
  return {
    held,
    async take(name, holder, now, until) {
      if ((held.get(name)?.until ?? 0) > now) return false
      held.set(name, { holder, until })
      return true
    },
    async renew(name, holder, until) {
      if (held.get(name)?.holder !== holder) return false
      held.set(name, { holder, until })
      return true
    },
    async release(name, holder) {
      if (held.get(name)?.holder === holder) held.delete(name)
    },
  }
}

const limits = { leaseSeconds: 100, shutdownGraceSeconds: 1 }
const nothing: WorkDone = { did: {} }
const task = (name: string, run: (goesOn: GoesOn) => Promise<WorkDone> = async () => nothing): Task => ({
  name,
  everySeconds: 1000,
  run,
})

function workerOf(
  tasks: Task[],
  options: { leases?: LeaseStore; holder?: string; clock?: () => number; steadyClock?: () => number } = {},
) {
  const clock = options.clock ?? movableClock()
  const { log, lines } = recordLog()
  const worker = createWorker({
    tasks,
    leases: options.leases ?? memoryLeases(),
    clock,
    steadyClock: options.steadyClock ?? clock,
    holder: options.holder ?? 'us',
    limits,
    log,
    random: () => 0.5,
  })
  return { worker, lines }
}

/** A task that stops in its middle until the test releases it. */
function gate() {
  const entered = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  return {
    entered: entered.promise,
    open: opened.resolve,
    async pass() {
      entered.resolve()
      await opened.promise
    },
  }
}

describe('a worker', () => {
  test('runs each task at its interval, with a random part', async (t: TestContext) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const runs: string[] = []
    const { worker } = workerOf(
      ['a', 'b'].map(name => ({ ...task(name), everySeconds: name === 'a' ? 10 : 40 })),
    )
    const turn = async (ms: number) => {
      t.mock.timers.tick(ms)
      // Work started by a timer continues in microtasks alone: there is no database here.
      for (let step = 0; step < 50; step++) await Promise.resolve()
    }
    worker.start(({ task: name }) => runs.push(name))
    await turn(4_999)
    assert.deepEqual(runs, [])
    await turn(1)
    assert.deepEqual(runs, ['a'], 'the first time is within the interval')
    await turn(9_999)
    assert.deepEqual(runs, ['a'])
    await turn(1)
    assert.deepEqual(runs, ['a', 'a'])
    await turn(5_000)
    assert.deepEqual(runs, ['a', 'a', 'b'])
    await worker.stop()
    await turn(1_000_000)
    assert.deepEqual(runs, ['a', 'a', 'b'])
  })

  test('runs one task at a time', async () => {
    const first = gate()
    const order: string[] = []
    const { worker } = workerOf([
      task('a', async () => {
        await first.pass()
        order.push('a')
        return nothing
      }),
      task('b', async () => {
        order.push('b')
        return nothing
      }),
    ])
    const both = Promise.all([worker.run('a'), worker.run('b')])
    await first.entered
    first.open()
    await both
    assert.deepEqual(order, ['a', 'b'])
  })

  test('is not stopped by a task that fails, and logs the failure', async () => {
    const leases = memoryLeases()
    const fault = new Error('broken')
    const { worker, lines } = workerOf(
      [
        task('a', async () => {
          throw fault
        }),
        task('b', async () => ({ did: { things: 2 }, left: { others: 1 } })),
      ],
      { leases },
    )
    await Promise.all([worker.run('a'), worker.run('b'), worker.run('a')])
    const failed = { level: 'error', message: 'background work failed', fields: { task: 'a', err: fault } }
    const fields = { task: 'b', things: 2, others: 1 }
    const done = { level: 'info', message: 'background work done', fields }
    assert.deepEqual(lines, [failed, done, failed])
    assert.equal(leases.held.size, 0, 'nothing stays held')
  })

  test('logs a failure of the leases like one of the task', async () => {
    const leases = { ...memoryLeases(), take: async () => Promise.reject(new Error('no database')) }
    const { worker, lines } = workerOf([task('a')], { leases })
    assert.equal((await worker.run('a')).outcome, 'failed')
    assert.equal(lines.length, 1)
  })

  test('leaves a task to the process that runs it, until its lease has expired', async () => {
    const clock = movableClock()
    const leases = memoryLeases()
    const asleep = gate()
    let others = 0
    const one = workerOf([task('a', () => asleep.pass().then(() => nothing))], {
      leases,
      clock,
      holder: 'one',
    })
    const two = workerOf([task('a', async () => ({ did: { rounds: ++others } }))], {
      leases,
      clock,
      holder: 'two',
    })
    const sleeping = one.worker.run('a')
    await asleep.entered
    clock.advance(leaseSeconds * 1000 - 1)
    assert.deepEqual(await two.worker.run('a'), { task: 'a', outcome: 'held' })
    assert.equal(others, 0)
    clock.advance(1)
    assert.equal((await two.worker.run('a')).outcome, 'done')
    asleep.open()
    await sleeping
  })

  test('keeps its lease during a long task, and ends the task when the lease was taken over', async () => {
    const clock = movableClock()
    const leases = memoryLeases()
    const answers: boolean[] = []
    const { worker } = workerOf(
      [
        task('a', async goesOn => {
          for (let batch = 0; batch < 5; batch++) {
            clock.advance(60_000)
            answers.push(await goesOn())
          }
          assert.equal(await leases.take('a', 'other', clock(), clock() + 1), false)
          leases.held.set('a', { holder: 'other', until: clock() + 1_000_000 })
          clock.advance(60_000)
          answers.push(await goesOn())
          return nothing
        }),
      ],
      { leases, clock },
    )
    assert.equal((await worker.run('a')).outcome, 'done')
    assert.deepEqual(answers, [true, true, true, true, true, false])
    assert.equal(leases.held.get('a')?.holder, 'other', 'what is another’s is not given back')
  })

  test('keeps its lease even when the clock is set back', async () => {
    const [clock, steadyClock] = [movableClock(), movableClock()]
    const leases = memoryLeases()
    const { worker } = workerOf(
      [
        task('a', async goesOn => {
          clock.advance(-86_400_000)
          steadyClock.advance(60_000)
          assert.equal(await goesOn(), true)
          assert.equal(leases.held.get('a')?.until, clock() + leaseSeconds * 1000)
          return nothing
        }),
      ],
      { leases, clock, steadyClock },
    )
    assert.equal((await worker.run('a')).outcome, 'done')
  })

  test('stops after the batch in progress', async () => {
    const batch = gate()
    let batches = 0
    const { worker, lines } = workerOf([
      task('a', async goesOn => {
        while (await goesOn()) {
          batches += 1
          await batch.pass()
        }
        return { did: { batches } }
      }),
    ])
    const running = worker.run('a')
    await batch.entered
    const stopped = worker.stop()
    batch.open()
    await Promise.all([stopped, running])
    assert.deepEqual(
      lines.map(({ fields }) => fields),
      [{ task: 'a', batches: 1 }],
    )
  })

  test('does not wait forever for a batch that hangs', async (t: TestContext) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const hanging = gate()
    const { worker, lines } = workerOf([task('a', () => hanging.pass().then(() => ({ did: { things: 1 } })))])
    const running = worker.run('a')
    await hanging.entered
    const stopped = worker.stop()
    t.mock.timers.tick(limits.shutdownGraceSeconds * 1000)
    await stopped
    // A caller that closes the database afterwards asks again, and does not wait a second time.
    await worker.stop()
    hanging.open()
    await running
    assert.deepEqual(lines, [], 'and logs nothing afterwards')
  })
})
