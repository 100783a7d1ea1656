import type { LeaseStore } from '../core/async/leases.ts'
import { within } from '../core/async/within.ts'
import { type Clock, type SteadyClock, steadyClock } from '../core/clock.ts'
import type { Task, WorkDone } from './ports.ts'

/** How one run of a task ended. */
export type RunReport = { task: string } & (
  | ({ outcome: 'done' } & WorkDone)
  | { outcome: 'failed'; error: unknown }
  /** Another process is at it. */
  | { outcome: 'held' }
)

export type Worker = ReturnType<typeof createWorker>

/** Runs each task at its interval, one at a time. What fails is told, and tried again at its next time. */
export function createWorker(deps: {
  tasks: readonly Task[]
  leases: LeaseStore
  clock: Clock
  steadyClock?: SteadyClock
  /** Different in every process. */
  holder: string
  limits: { leaseSeconds: number; shutdownGraceSeconds: number }
  onRun(report: RunReport): void
  /** Spreads the processes that were started together; from 0 to 1. */
  random?(): number
}) {
  const { tasks, leases, clock, holder, limits, random = Math.random } = deps
  const elapsed = deps.steadyClock ?? steadyClock
  const leaseMs = limits.leaseSeconds * 1000
  const timers = new Set<NodeJS.Timeout>()
  let isStopping = false
  let isOver = false
  let stopped: Promise<void> | undefined
  let underWay: Promise<unknown> = Promise.resolve()

  /** The first batch is begun in any case; from then on the task asks. */
  function goesOnWith(task: Task) {
    let renewedAt = elapsed()
    return async () => {
      if (isStopping) return false
      const now = elapsed()
      if (now - renewedAt < leaseMs / 2) return true
      renewedAt = now
      return leases.renew(task.name, holder, clock() + leaseMs)
    }
  }

  async function attempt(task: Task): Promise<RunReport> {
    const now = clock()
    if (!(await leases.take(task.name, holder, now, now + leaseMs))) {
      return { task: task.name, outcome: 'held' }
    }
    try {
      return { task: task.name, outcome: 'done', ...(await task.run(goesOnWith(task))) }
    } finally {
      await leases.release(task.name, holder)
    }
  }

  /** One after the other, whoever asks; never rejects. */
  function run(task: Task): Promise<RunReport> {
    const turn = underWay.then(async () => {
      const report = await attempt(task).catch(
        (error): RunReport => ({ task: task.name, outcome: 'failed', error }),
      )
      // What is cut off in the end was not meant to come to one.
      if (!isOver) deps.onRun(report)
      return report
    })
    underWay = turn
    return turn
  }

  function runLater(task: Task, ms: number, onRun: (report: RunReport) => void): void {
    const timer = setTimeout(async () => {
      timers.delete(timer)
      onRun(await run(task))
      if (!isStopping) runLater(task, task.everySeconds * 1000 * (0.9 + 0.2 * random()), onRun)
    }, ms)
    // Nothing hangs on it: a process that has nothing else to do may end.
    timer.unref()
    timers.add(timer)
  }

  async function stop(): Promise<void> {
    isStopping = true
    for (const timer of timers) clearTimeout(timer)
    timers.clear()
    await within(limits.shutdownGraceSeconds * 1000, underWay)
    isOver = true
  }

  return {
    tasks: tasks.map(({ name }) => name),

    /** From now until `stop`. The first time of each task is anywhere within its interval. */
    start(onRun: (report: RunReport) => void = () => {}): void {
      for (const task of tasks) runLater(task, task.everySeconds * 1000 * random(), onRun)
    },

    /** This task, now, unless another process is at it. */
    async run(name: string): Promise<RunReport> {
      const task = tasks.find(candidate => candidate.name === name)
      if (task === undefined) throw new Error(`there is no task ${name}`)
      return run(task)
    },

    /** Waits for the batch that is under way, and not for ever: once, however often it is asked. */
    stop(): Promise<void> {
      stopped ??= stop()
      return stopped
    },
  }
}
