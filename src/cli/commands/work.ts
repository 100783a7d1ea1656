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

type Report = Awaited<ReturnType<Services['work']['run']>>

export function addWork(program: Command, context: Context): void {
  program
    .command('work')
    .description('Run background work until SIGTERM or SIGINT, for services with WORK=elsewhere.')
    .option('--once', 'run each task once, print the results and exit')
    .option('--json', 'with --once: print JSON')
    .action((options: { once?: boolean; json?: boolean }) =>
      options.once ? workOnce(context, options.json === true) : work(context, options.json === true),
    )
}

async function work(context: Context, isJson: boolean): Promise<void> {
  if (isJson) throw new CommandError('--json requires --once.', exitCodes.usage)
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
async function workOnce(context: Context, isJson: boolean): Promise<void> {
  await withServices(context, async ({ work: { tasks, run } }) => {
    const reports: Report[] = []
    for (const task of tasks) reports.push(await run(task))
    context.print(isJson ? `${JSON.stringify(reports.map(plain), null, 2)}\n` : reports.map(line).join(''))
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
