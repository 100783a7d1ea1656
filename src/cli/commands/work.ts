import type { Command } from 'commander'
import type { Services } from '../../app.ts'
import { warnOfClock } from '../process/clock-check.ts'
import { checkScanner } from '../process/scanner-check.ts'
import {
  CommandError,
  type Context,
  configOf,
  ensureCurrentSchema,
  exitCodes,
  serviceLog,
  signIn,
  withServices,
} from '../terminal/context.ts'

interface WorkOptions {
  once?: boolean
  task?: string
  json?: boolean
}

type Report = Awaited<ReturnType<Services['work']['run']>>

export function addWork(program: Command, context: Context): void {
  program
    .command('work')
    .description('Run background work until SIGTERM or SIGINT, for services with WORK=elsewhere.')
    .option('--once', 'run each task once, print the results and exit')
    .option('--task <name>', 'with --once: run only this task')
    .option('--json', 'with --once: print JSON')
    .action((options: WorkOptions) => (options.once ? workOnce(context, options) : work(context, options)))
}

async function work(context: Context, { json, task }: WorkOptions): Promise<void> {
  if (json) throw new CommandError('--json requires --once.', exitCodes.usage)
  if (task !== undefined) throw new CommandError('--task requires --once.', exitCodes.usage)
  const stopRequested = context.untilStopRequested()
  const config = configOf(context)
  const log = serviceLog(context, config, false)
  const { openServices } = await import('../../app.ts')
  const services = await openServices(config, log)
  // Keeps the process alive between tasks, as it has no server.
  const alive = setInterval(() => {}, 3_600_000)
  try {
    await ensureCurrentSchema(services)
    await warnOfClock(services, config.limits, log)
    await signIn(services)
    const reportScanner = await checkScanner(services, log)
    services.work.start()
    reportScanner()
    const tasks = services.work.tasks.join(', ')
    log.info({ tasks, database: services.database.dialect }, 'background work runs in this process')
    log.info({ signal: await stopRequested }, 'stopping')
    await services.work.stop()
    log.info('stopped')
  } finally {
    clearInterval(alive)
    await services.close()
  }
}

/** For the operator's own scheduler, and to see at once what there is to do. */
async function workOnce(context: Context, { json, task: only }: WorkOptions): Promise<void> {
  await withServices(context, async ({ work: { tasks, run }, board }) => {
    if (only !== undefined) {
      if (!tasks.includes(only))
        throw new CommandError(`There is no task ${only}. The tasks: ${tasks.join(', ')}`, exitCodes.usage)
      await board.record({ action: 'task.run', scope: 'board', target: `task:${only}` })
    }
    const reports: Report[] = []
    for (const task of only === undefined ? tasks : [only]) reports.push(await run(task))
    context.print(json ? `${JSON.stringify(reports.map(plain), null, 2)}\n` : reports.map(line).join(''))
    const failed = reports.filter(({ outcome }) => outcome === 'failed').length
    if (failed > 0) throw new CommandError(`${failed} of ${reports.length} tasks failed.`)
  })
}

/** The error itself is in the log. */
function plain(report: Report): object {
  return report.outcome === 'failed' ? { task: report.task, outcome: report.outcome } : report
}

function line(report: Report): string {
  return `${report.task.padEnd(11)}${inWords(report)}\n`
}

function inWords(report: Report): string {
  if (report.outcome === 'failed') return 'failed'
  if (report.outcome === 'held') return 'not done: another process is running it'
  const done = listed(report.did)
  const left = listed(report.left ?? {})
  return `${done || 'nothing to do'}${left && `; left: ${left}`}`
}

function listed(counts: Record<string, number>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ')
}
