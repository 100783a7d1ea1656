import type { Logger } from 'pino'
import { CommandError, exitCodes } from '../../platform/cli/command-error.ts'
import { withTimeout } from '../../platform/core/async/with-timeout.ts'
import { createMetrics } from '../../platform/http/observed/metrics.ts'
import { createMetricsSum, type ProcessFigures } from '../../platform/http/observed/metrics-sum.ts'
import { createAdminServer } from '../admin-server.ts'
import { type Context, configOf, serviceLog } from './context.ts'
import { listenToAdmin } from './listening.ts'
import { createWorkerPool, type WorkerPool, WorkerStartError } from './worker-pool.ts'
import type { WorkerProcess } from './worker-process.ts'

/** Limit: How long /metrics waits for a worker; a slower one is counted with its last known figures. */
const workerFiguresMs = 1_000

/** Serves with several worker processes on one port. The supervisor itself only serves the metrics. */
export async function supervise(context: Context, count: number): Promise<void> {
  const stopRequested = context.untilStopRequested()
  const config = configOf(context)
  const log = serviceLog(context, config, false)
  const { limits } = config
  const metrics = createMetrics()
  const sum = createMetricsSum(metrics.registry)
  const figures = createFiguresRound(sum.keep)
  const pool = createWorkerPool({
    count,
    port: config.PORT,
    start: await context.openWorkers(),
    log,
    graceMs: (config.SHUTDOWN_DELAY_SECONDS + limits.shutdownGraceSeconds) * 1000,
    onStarted(worker) {
      figures.watch(worker)
      worker.onMessage(message => {
        if ('changed' in message) pool.tellOthers(worker, message)
      })
    },
    onEnded: sum.end,
  })
  context.onRestartRequested(() => pool.restart())
  metrics.watchWorkers(() => pool.workers().length)
  const baseUrl = () => config.BASE_URL ?? ''
  const ask = () => withTimeout(workerFiguresMs, figures.ask(pool.workers()))
  const admin = await createAdminServer(
    config,
    { log, metrics, baseUrl, authUrl: () => config.AUTH_URL ?? baseUrl() },
    sum.figuresAfter(ask),
  )
  const adminUrl = await listenToAdmin(config, admin)
  try {
    // A stop request does not wait until the workers have started.
    const up = await Promise.race([startAll(pool), stopRequested])
    if (typeof up !== 'string') {
      log.info({ ...up, adminUrl, workers: count }, 'listening')
    }
    const signal = await Promise.race([stopRequested, untilDiskFailedAgain(pool, log)])
    log.info({ signal, graceSeconds: limits.shutdownGraceSeconds, workers: count }, 'stopping')
    await pool.stop(signal)
    log.info('stopped')
  } finally {
    await pool.stop('failed')
    await admin.drain()
  }
}

/** Restarting workers forever would hide from the service manager that this node cannot serve. */
async function untilDiskFailedAgain(pool: WorkerPool, log: Logger): Promise<never> {
  await pool.diskFailedAgain
  log.fatal('the disk failed again under a new worker: the service ends')
  throw new CommandError(
    'The disk did not keep what was written to the database, and a new worker could not use it either. Check the disk, and start again.',
    exitCodes.diskFailed,
  )
}

async function startAll(pool: WorkerPool) {
  try {
    return await pool.start()
  } catch (error) {
    if (!(error instanceof WorkerStartError)) throw error
    const { code } = error.exit
    // A worker with an exit code has already printed the reason.
    throw code === null
      ? new CommandError(`${error.message}.`)
      : new CommandError('', code === 0 ? exitCodes.failed : code)
  }
}

/** Requests metrics from the workers; concurrent callers share one request. */
function createFiguresRound(keep: (worker: WorkerProcess, figures: ProcessFigures) => void) {
  const asked = new Map<WorkerProcess, PromiseWithResolvers<void>>()
  const settle = (worker: WorkerProcess) => {
    asked.get(worker)?.resolve()
    asked.delete(worker)
  }
  return {
    watch(worker: WorkerProcess): void {
      worker.onMessage(message => {
        if (!('figures' in message)) return
        keep(worker, message.figures)
        settle(worker)
      })
      worker.exited.then(() => settle(worker))
    },
    ask: (workers: readonly WorkerProcess[]) =>
      Promise.all(
        workers.map(worker => {
          const answer = asked.get(worker) ?? Promise.withResolvers<void>()
          if (!asked.has(worker)) worker.tell({ wanted: 'figures' })
          asked.set(worker, answer)
          return answer.promise
        }),
      ),
  }
}
