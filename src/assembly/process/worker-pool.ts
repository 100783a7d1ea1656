import type { Logger } from 'pino'
import { exitCodes } from '../../platform/cli/command-error.ts'
import { withTimeout } from '../../platform/core/async/with-timeout.ts'
import { type SteadyClock, steadyClock } from '../../platform/core/clock.ts'
import {
  replaced,
  type StartWorker,
  type ToWorker,
  type WorkerExit,
  type WorkerIsUp,
  type WorkerProcess,
} from './worker-process.ts'

/**
 * Limit: Pause before replacing a worker that died soon after its start; it doubles each time. A worker that lived
 * longer than the longest pause is replaced immediately.
 */
export const workerPauseMs = 500
/**
 * Limit: The longest pause before a worker is replaced: after an outage of the database, workers are back within half
 * a minute.
 */
export const maxWorkerPauseMs = 30_000
/**
 * Limit: How long a worker may take beyond the grace period before it is killed: it has files and connections to
 * close.
 */
export const workerEndMs = 5_000

/** A worker that exited before it could serve. It has printed the reason itself, unless a signal ended it. */
export class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError'
  readonly exit: WorkerExit
  constructor(exit: WorkerExit) {
    super(`a worker exited before it was up (${exit.signal ?? `exit code ${exit.code}`})`)
    this.exit = exit
  }
}

interface Setbacks {
  failures: number
  isOfDisk: boolean
}
const noSetbacks: Setbacks = { failures: 0, isOfDisk: false }

export type WorkerPool = ReturnType<typeof createWorkerPool>

/** Keeps a number of workers alive: starts them, replaces dead ones, restarts them in turn, and stops them. */
export function createWorkerPool(deps: {
  count: number
  port: number
  start: StartWorker
  log: Logger
  /** Time that the workers have to stop. */
  graceMs: number
  onStarted(worker: WorkerProcess): void
  onEnded(worker: WorkerProcess): void
  steadyClock?: SteadyClock
}) {
  const { count, log } = deps
  const elapsed = deps.steadyClock ?? steadyClock
  const alive = new Set<WorkerProcess>()
  /** The serving worker of each number. Other workers with the same number are starting or stopping. */
  const serving = new Map<number, WorkerProcess>()
  const stopRequested = Promise.withResolvers<void>()
  const diskFailedAgain = Promise.withResolvers<void>()
  let isStopping = false
  let port = deps.port
  let actualPort = deps.port
  let stopped: Promise<void> | undefined
  let restarting: Promise<void> | undefined
  let isRestartWanted = false

  /** Resolves when the worker serves. */
  async function launch(number: number): Promise<{ worker: WorkerProcess; up: WorkerIsUp }> {
    if (isStopping) throw new Error('the service is stopping')
    // With port 0 all workers share the chosen port while one of them holds it; after that, the first new one must
    // request it.
    if (alive.size === 0) port = actualPort
    const worker = deps.start(number, { PORT: String(port) })
    alive.add(worker)
    deps.onStarted(worker)
    const exited = worker.exited.then(exit => {
      alive.delete(worker)
      deps.onEnded(worker)
      return exit
    })
    const isUp = Promise.withResolvers<WorkerIsUp>()
    worker.onMessage(message => {
      if ('up' in message) isUp.resolve(message.up)
    })
    const outcome = await Promise.race([isUp.promise, exited])
    if ('code' in outcome) throw new WorkerStartError(outcome)
    actualPort = outcome.port
    log.info({ worker: number, pid: worker.pid }, 'worker is up')
    return { worker, up: outcome }
  }

  /**
   * Makes it the serving worker of its number, to be replaced when it dies. `failures` and `isOfDisk` describe its
   * predecessors: how many died early, and whether the disk failed under the last one.
   */
  function appoint(number: number, worker: WorkerProcess, { failures, isOfDisk }: Setbacks): void {
    serving.set(number, worker)
    const startedAt = elapsed()
    const isStillWanted = () => !isStopping && serving.get(number) === worker
    worker.exited.then(({ code, signal }) => {
      if (!isStillWanted()) return
      const hasLived = elapsed() - startedAt >= maxWorkerPauseMs
      log.error({ worker: number, pid: worker.pid, code, signal }, 'a worker has died and is being replaced')
      const hasDiskFailed = code === exitCodes.diskFailed
      if (hasDiskFailed && isOfDisk && !hasLived) return diskFailedAgain.resolve()
      const setbacks = { failures: hasLived ? 0 : failures + 1, isOfDisk: hasDiskFailed }
      return replace(number, isStillWanted, setbacks)
    })
  }

  async function replace(number: number, isStillWanted: () => boolean, setbacks: Setbacks): Promise<void> {
    const { failures, isOfDisk } = setbacks
    const pauseMs = failures === 0 ? 0 : workerPauseMs * 2 ** (failures - 1)
    await withTimeout(Math.min(pauseMs, maxWorkerPauseMs), stopRequested.promise)
    if (!isStillWanted()) return
    try {
      const { worker } = await launch(number)
      if (isStillWanted()) appoint(number, worker, setbacks)
      // Another restart replaced it, or the service is stopping.
      else worker.tell({ stop: replaced })
    } catch (error) {
      if (!isStillWanted()) return
      log.error({ worker: number, reason: (error as Error).message }, 'a worker cannot be replaced yet')
      if (isOfDisk) return diskFailedAgain.resolve()
      await replace(number, isStillWanted, { failures: failures + 1, isOfDisk })
    }
  }

  /** Starts the new worker before the old one stops. Returns false if it failed; the old one then stays. */
  async function restartOne(number: number): Promise<boolean> {
    let launched: Awaited<ReturnType<typeof launch>>
    try {
      launched = await launch(number)
    } catch (error) {
      const reason = (error as Error).message
      if (!isStopping)
        log.error({ worker: number, reason }, 'restart given up: the other workers keep running')
      return false
    }
    const old = serving.get(number)
    appoint(number, launched.worker, noSetbacks)
    if (old !== undefined) await end([old], replaced)
    return true
  }

  async function restartInTurn(): Promise<void> {
    log.info({ workers: count }, 'restarting the workers, one after the other')
    for (const number of serving.keys()) {
      if (isStopping || !(await restartOne(number))) return
    }
    log.info({ workers: count }, 'restarted')
  }

  /** Restarts the workers. A restart requested during the start or during another restart follows it. */
  async function restart(): Promise<void> {
    isRestartWanted = true
    if (serving.size === 0) return
    restarting ??= (async () => {
      while (isRestartWanted && !isStopping) {
        isRestartWanted = false
        await restartInTurn()
      }
      restarting = undefined
    })()
    await restarting
  }

  async function end(workers: readonly WorkerProcess[], why: string): Promise<void> {
    for (const worker of workers) worker.tell({ stop: why })
    const ended = Promise.all(workers.map(({ exited }) => exited))
    await withTimeout(deps.graceMs + workerEndMs, ended)
    for (const worker of workers.filter(candidate => alive.has(candidate))) {
      log.error({ pid: worker.pid }, 'a worker did not stop in time and is being killed')
      worker.kill()
    }
    await ended
  }

  return {
    /** The serving workers. */
    workers: () => [...serving.values()].filter(worker => alive.has(worker)),

    /** Sends to all other workers, including those that are starting or stopping: requests may wait there. */
    tellOthers(sender: WorkerProcess, message: ToWorker): void {
      for (const worker of alive) if (worker !== sender) worker.tell(message)
    },

    /** Starts the first worker alone: it prepares the database, and reports an invalid setting only once. */
    async start(): Promise<WorkerIsUp> {
      const first = await launch(1)
      const others = Array.from({ length: count - 1 }, (_, index) => index + 2)
      const launched = await Promise.all(others.map(launch))
      for (const [index, { worker }] of [first, ...launched].entries()) appoint(index + 1, worker, noSetbacks)
      if (isRestartWanted) restart()
      return first.up
    },

    restart,

    /**
     * Resolves when the disk has failed under a worker and its replacement could not use it either: no worker could. A
     * failure that does not recur costs one worker.
     */
    diskFailedAgain: diskFailedAgain.promise,

    /** Stops once, however often it is called. */
    stop(signal: string): Promise<void> {
      isStopping = true
      stopRequested.resolve()
      stopped ??= end([...alive], signal)
      return stopped
    },
  }
}
