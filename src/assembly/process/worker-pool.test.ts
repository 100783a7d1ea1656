import assert from 'node:assert/strict'
import { beforeEach, describe, mock, test } from 'node:test'
import { createLog } from '../../logging.ts'
import { exitCodes } from '../../platform/cli/command-error.ts'
import {
  createWorkerPool,
  maxWorkerPauseMs,
  WorkerStartError,
  workerEndMs,
  workerPauseMs,
} from './worker-pool.ts'
import type { FromWorker, ToWorker, WorkerExit } from './worker-process.ts'

/** A worker controlled by the test. */
function createFakeWorker(number: number, settings: Record<string, string>) {
  const { promise: exited, resolve } = Promise.withResolvers<WorkerExit>()
  const listeners: ((message: FromWorker) => void)[] = []
  return {
    number,
    settings,
    told: [] as ToWorker[],
    isKilled: false,
    pid: number,
    exited,
    tell(message: ToWorker) {
      this.told.push(message)
    },
    onMessage: (listener: (message: FromWorker) => void) => void listeners.push(listener),
    kill() {
      this.isKilled = true
      resolve({ code: null, signal: 'SIGKILL' })
    },
    comeUp(port = 8080) {
      for (const listener of listeners) listener({ up: { port, baseUrl: 'http://x', database: 'sqlite' } })
    },
    exit: (code = 1) => resolve({ code, signal: null }),
  }
}
type FakeWorker = ReturnType<typeof createFakeWorker>

const graceMs = 10_000

/** Resolves when everything that does not wait for a timer is done. */
const settled = () => new Promise(resolve => setImmediate(resolve))

describe('a pool of workers', () => {
  let started: FakeWorker[]
  let lines: string[]
  let nowMs: number
  beforeEach(() => {
    started = []
    lines = []
    nowMs = 0
    mock.timers.reset()
    mock.timers.enable({ apis: ['setTimeout'] })
  })

  const latest = () => started.at(-1) as FakeWorker
  const messages = () => lines.map(line => JSON.parse(line).msg as string)

  function pass(ms: number): Promise<unknown> {
    nowMs += ms
    mock.timers.tick(ms)
    return settled()
  }

  function createPool(count: number, port = 8080) {
    return createWorkerPool({
      count,
      port,
      graceMs,
      log: createLog({ level: 'info', format: 'json', write: line => lines.push(line) }),
      start(number, settings) {
        const worker = createFakeWorker(number, settings)
        started.push(worker)
        return worker
      },
      onStarted: () => {},
      onEnded: () => {},
      steadyClock: () => nowMs,
    })
  }

  async function startPool(count: number) {
    const pool = createPool(count)
    const up = pool.start()
    latest().comeUp()
    await settled()
    for (const worker of started.slice(1)) worker.comeUp()
    await up
    return pool
  }

  test('the first starts alone, then the others together', async () => {
    const pool = createPool(3)
    const up = pool.start()
    await settled()
    assert.deepEqual(
      started.map(({ number }) => number),
      [1],
    )
    latest().comeUp()
    await settled()
    assert.deepEqual(
      started.map(({ number }) => number),
      [1, 2, 3],
    )
    started[1]?.comeUp()
    started[2]?.comeUp()
    assert.equal((await up).port, 8080)
    assert.equal(pool.workers().length, 3)
  })

  test('a worker that ends before it is up ends the start with its exit code', async () => {
    const up = createPool(2).start()
    latest().exit(4)
    await assert.rejects(up, error => error instanceof WorkerStartError && error.exit.code === 4)
    assert.equal(started.length, 1)
  })

  test('a worker that dies early is replaced after a pause, which doubles up to a bound', async () => {
    await startPool(1)
    const pausesMs: number[] = []
    for (let i = 0; i < 8; i++) {
      const before = started.length
      latest().exit()
      await settled()
      let pauseMs = 0
      for (; started.length === before; pauseMs += 250) await pass(250)
      pausesMs.push(pauseMs)
      // Some end before they are up, others soon after: both are treated alike.
      if (i % 2 === 0) latest().comeUp()
      await settled()
    }
    assert.deepEqual(pausesMs, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  })

  /** Whether the pool has given up by now. */
  async function hasGivenUp(pool: ReturnType<typeof createPool>): Promise<boolean> {
    await settled()
    return Promise.race([pool.diskFailedAgain.then(() => true), settled().then(() => false)])
  }

  for (const [what, comesUp] of [
    ['cannot start', false],
    ['ends in the same way', true],
  ] as const)
    test(`a worker whose disk failed is replaced, and no more if its successor ${what}`, async () => {
      const pool = await startPool(2)
      started[0]?.exit(exitCodes.diskFailed)
      started[1]?.exit(exitCodes.diskFailed)
      assert.equal(await hasGivenUp(pool), false)
      await pass(workerPauseMs)
      assert.equal(started.length, 4)
      if (comesUp) started[2]?.comeUp()
      await settled()
      started[2]?.exit(comesUp ? exitCodes.diskFailed : exitCodes.failed)
      assert.equal(await hasGivenUp(pool), true)
      started[3]?.comeUp()
      await pass(60_000)
      assert.equal(started.length, 4)
    })

  test('a disk that fails again later costs another worker, and not the service', async () => {
    const pool = await startPool(1)
    for (let i = 0; i < 3; i++) {
      latest().exit(exitCodes.diskFailed)
      await settled()
      await pass(workerPauseMs)
      latest().comeUp()
      await settled()
      await pass(maxWorkerPauseMs)
    }
    assert.deepEqual([started.length, await hasGivenUp(pool)], [4, false])
  })

  test('a worker that has lived a while is replaced at once', async () => {
    await startPool(2)
    await pass(maxWorkerPauseMs)
    started[1]?.exit()
    await settled()
    await pass(0)
    assert.deepEqual([started.length, latest().number], [3, 2])
    assert.ok(messages().includes('a worker has died and is being replaced'))
  })

  test('a free port stays the same: as long as one holds it, and by its number when all have ended', async () => {
    const pool = createPool(2, 0)
    const up = pool.start()
    latest().comeUp(40_000)
    await settled()
    latest().comeUp(40_000)
    await up
    for (const worker of [...started]) worker.exit()
    await settled()
    await pass(workerPauseMs)
    assert.deepEqual(
      started.map(({ settings }) => settings['PORT']),
      ['0', '0', '40000', '40000'],
    )
  })

  test('a restart replaces one worker after the other, each when its successor is up', async () => {
    const pool = await startPool(2)
    const [first, second] = started as [FakeWorker, FakeWorker]
    const restarted = pool.restart()
    await settled()
    assert.deepEqual([started.length, latest().number, first.told], [3, 1, []])
    latest().comeUp()
    await settled()
    assert.deepEqual(first.told, [{ stop: 'replaced' }])
    assert.equal(started.length, 3, 'the next has to wait until the first is gone')
    first.exit(0)
    await settled()
    assert.deepEqual([started.length, latest().number, second.told], [4, 2, []])
    latest().comeUp()
    await settled()
    second.exit(0)
    await restarted
    assert.equal(started.length, 4, 'those that were replaced on purpose are not replaced again')
    assert.ok(messages().includes('restarted'))
  })

  test('a restart whose first new worker cannot start is abandoned, and the old ones stay', async () => {
    const pool = await startPool(2)
    const restarted = pool.restart()
    await settled()
    latest().exit(4)
    await restarted
    await pass(60_000)
    assert.equal(started.length, 3)
    assert.deepEqual(
      started.slice(0, 2).map(({ told }) => told),
      [[], []],
    )
    assert.equal(pool.workers().length, 2)
    assert.ok(messages().includes('restart given up: the other workers keep running'))
  })

  test('a restart requested during another follows it, once', async () => {
    const pool = await startPool(1)
    const restarted = pool.restart()
    pool.restart()
    pool.restart()
    for (let i = 0; i < 2; i++) {
      await settled()
      const old = started.at(-2)
      latest().comeUp()
      await settled()
      old?.exit(0)
    }
    await restarted
    assert.equal(started.length, 3)
  })

  test('a restart requested during the start follows it', async () => {
    const pool = createPool(2)
    const up = pool.start()
    await settled()
    pool.restart()
    await settled()
    assert.deepEqual([started.length, messages()], [1, []])
    latest().comeUp()
    await settled()
    latest().comeUp()
    await up
    await settled()
    assert.deepEqual([started.length, latest().number], [3, 1])
    for (const [successor, old] of [
      [2, 0],
      [3, 1],
    ] as const) {
      started[successor]?.comeUp()
      await settled()
      started[old]?.exit(0)
      await settled()
    }
    assert.deepEqual([started.length, messages().at(-1)], [4, 'restarted'])
  })

  test('a restart during a failing start restarts no worker', async () => {
    const pool = createPool(2)
    const up = pool.start()
    pool.restart()
    latest().exit(4)
    await assert.rejects(up)
    await pool.stop('failed')
    await settled()
    assert.deepEqual([started.length, messages()], [1, []])
  })

  test('a worker that dies while its successor starts has one successor, not two', async () => {
    const pool = await startPool(1)
    const restarted = pool.restart()
    await settled()
    const successor = latest()
    started[0]?.exit()
    await settled()
    await pass(workerPauseMs)
    const spare = latest()
    assert.notEqual(spare, successor)
    successor.comeUp()
    await restarted
    spare.comeUp()
    await settled()
    assert.deepEqual(spare.told, [{ stop: 'replaced' }])
    assert.deepEqual(pool.workers(), [successor])
  })

  test('a stop reaches every worker, waits for them and replaces none', async () => {
    const pool = await startPool(2)
    const stopped = pool.stop('SIGTERM')
    for (const worker of started) assert.deepEqual(worker.told, [{ stop: 'SIGTERM' }])
    for (const worker of started) worker.exit(0)
    await stopped
    await pass(60_000)
    assert.deepEqual([started.length, pool.workers()], [2, []])
    await pool.restart()
    assert.equal(started.length, 2)
  })

  test('a worker that does not end in time is killed', async () => {
    const pool = await startPool(2)
    const stopped = pool.stop('SIGTERM')
    started[0]?.exit(0)
    await settled()
    await pass(graceMs)
    assert.equal(started[1]?.isKilled, false)
    await pass(workerEndMs)
    assert.equal(started[1]?.isKilled, true)
    await stopped
  })

  test('a stop ends the wait for the next attempt', async () => {
    const pool = await startPool(1)
    latest().exit()
    await settled()
    await pool.stop('SIGTERM')
    await pass(60_000)
    assert.equal(started.length, 1)
  })
})
