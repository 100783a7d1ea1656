import { asTask, withAuditContext } from '../core/async/audit-context.ts'
import type { LeaseStore } from '../core/async/leases.ts'
import { withTimeout } from '../core/async/with-timeout.ts'
import { type Clock, type SteadyClock, steadyClock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { reasonOf } from '../core/reason.ts'
import type { Task, WorkDone } from '../core/task-ports.ts'
import type { TaskRunStore } from './task-run-store.ts'

/**
 * Limit: Another process takes over the task of a dead one after this time. Longer than the longest batch: files that
 * wait for their verdict as long as allowed.
 */
export const leaseSeconds = 120

/** Outcome of one run of a task. */
export type RunReport = { task: string } & (
  | ({ outcome: 'done' } & WorkDone)
  | { outcome: 'failed'; error: unknown }
  /** Another process is running it. */
  | { outcome: 'held' }
)

/** Runs each task at its interval, one at a time. Failures are reported and retried at the next interval. */
export function createWorker(deps: {
  tasks: readonly Task[]
  leases: LeaseStore
  clock: Clock
  steadyClock?: SteadyClock
  /** Unique to each process. */
  holder: string
  limits: { shutdownGraceSeconds: number }
  log: Log
  /** Records the outcome of each run. */
  runs?: Pick<TaskRunStore, 'record'>
  /** From 0 to 1; spreads processes that were started together. */
  random?(): number
}) {
  const { tasks, leases, clock, holder, limits, random = Math.random } = deps
  const elapsed = deps.steadyClock ?? steadyClock
  const leaseMs = leaseSeconds * 1000
  const timers = new Set<NodeJS.Timeout>()
  let isStopping = false
  let isOver = false
  let stopped: Promise<void> | undefined
  let underWay: Promise<unknown> = Promise.resolve()

  /** The first batch always starts; between batches the task checks whether to continue. */
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
      const done = await withAuditContext(asTask(task.name, clock), () => task.run(goesOnWith(task)))
      return { task: task.name, outcome: 'done', ...done }
    } finally {
      await leases.release(task.name, holder)
    }
  }

  /** For the operator's page; the task itself reports a database that fails. */
  async function remember(task: Task, startedAt: number, report: RunReport): Promise<void> {
    if (report.outcome === 'held') return
    const { name, everySeconds } = task
    const run = { name, everySeconds, startedAt, endedAt: clock(), outcome: report.outcome }
    const { did, left } = report.outcome === 'done' ? report : { did: {}, left: undefined }
    const fault = report.outcome === 'failed' ? { fault: reasonOf(report.error) } : {}
    const detail = { did, ...(left === undefined ? {} : { left }) }
    await deps.runs?.record({ ...run, detail, ...fault }).catch(() => {})
  }

  /** Runs tasks one after the other; never rejects. */
  function run(task: Task): Promise<RunReport> {
    const turn = underWay.then(async () => {
      const startedAt = clock()
      const report = await attempt(task).catch(
        (error): RunReport => ({ task: task.name, outcome: 'failed', error }),
      )
      // A run aborted by the shutdown is not a failure.
      if (!isOver) {
        await remember(task, startedAt, report)
        logRun(deps.log, report)
      }
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
    // The timer does not keep the process running.
    timer.unref()
    timers.add(timer)
  }

  async function stop(): Promise<void> {
    isStopping = true
    for (const timer of timers) clearTimeout(timer)
    timers.clear()
    await withTimeout(limits.shutdownGraceSeconds * 1000, underWay)
    isOver = true
  }

  return {
    tasks: tasks.map(({ name }) => name),

    /** Runs tasks until `stop`. The first run of each is at a random time within its interval. */
    start(onRun: (report: RunReport) => void = () => {}): void {
      for (const task of tasks) runLater(task, task.everySeconds * 1000 * random(), onRun)
    },

    /** Runs this task now, unless another process is running it. */
    async run(name: string): Promise<RunReport> {
      const task = tasks.find(candidate => candidate.name === name)
      if (task === undefined) throw new Error(`there is no task ${name}`)
      return run(task)
    },

    /** Stops once, however often it is called; waits a limited time for the running batch. */
    stop(): Promise<void> {
      stopped ??= stop()
      return stopped
    },
  }
}

/** Logs a line for each run that did any work or failed. */
function logRun(log: Log, report: RunReport): void {
  const { task, outcome } = report
  if (outcome === 'failed') log.error({ task, err: report.error }, 'background work failed')
  if (outcome === 'done' && Object.values(report.did).some(count => count > 0))
    log.info({ task, ...report.did, ...report.left }, 'background work done')
}
