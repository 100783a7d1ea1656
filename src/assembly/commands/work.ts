import { flag, option } from '../../platform/cli/arguments.ts'
import { CommandError, exitCodes } from '../../platform/cli/command-error.ts'
import type { App } from '../app.ts'
import { warnOfClock, watchClock } from '../process/clock-check.ts'
import {
  type Context,
  configOf,
  ensureCurrentSchema,
  serviceLog,
  signIn,
  untilStoppedOrFailed,
  withApp,
} from '../process/context.ts'
import { checkScanner } from '../process/scanner-check.ts'
import { plainCommand } from './command.ts'

interface WorkOptions {
  once: boolean
  task: string | undefined
  json: boolean
}

type Report = Awaited<ReturnType<App['upkeep']['work']['run']>>

export const work = plainCommand({
  about: 'Run background work until SIGTERM or SIGINT, for services with WORK=elsewhere.',
  options: {
    once: flag('run each task once, print the results and exit'),
    task: option('<name>', 'with --once: run only this task'),
    json: flag('with --once: print JSON'),
  },
  run: (context, options) => (options.once ? workOnce(context, options) : workOn(context, options)),
})

async function workOn(context: Context, { json, task }: WorkOptions): Promise<void> {
  if (json) throw new CommandError('--json requires --once.', exitCodes.usage)
  if (task !== undefined) throw new CommandError('--task requires --once.', exitCodes.usage)
  const stopRequested = context.untilStopRequested()
  const config = configOf(context)
  const log = serviceLog(context, config, false)
  const { openApp } = await import('../app.ts')
  const app = await openApp(config, log)
  // Keeps the process running between tasks, because it has no server.
  const alive = setInterval(() => {}, 3_600_000)
  try {
    await ensureCurrentSchema(app)
    await warnOfClock(app, log)
    await signIn(app.platform)
    const reportScanner = await checkScanner(app, log)
    const unwatchClock = watchClock(app, log)
    app.upkeep.work.start()
    reportScanner()
    const tasks = app.upkeep.work.tasks.join(', ')
    log.info({ tasks, database: app.platform.database.dialect }, 'background work runs in this process')
    log.info({ signal: await untilStoppedOrFailed(stopRequested, app.platform) }, 'stopping')
    unwatchClock()
    await app.upkeep.work.stop()
    log.info('stopped')
  } finally {
    clearInterval(alive)
    await app.close()
  }
}

/** Runs each task once, for an external scheduler or a manual check. */
async function workOnce(context: Context, { json, task: only }: WorkOptions): Promise<void> {
  await withApp(context, async app => {
    const { tasks, run } = app.upkeep.work
    const reports: Report[] = []
    if (only === undefined) for (const task of tasks) reports.push(await run(task))
    else if (tasks.includes(only)) reports.push(await (await app.operator.acts.startTask(only))())
    else throw new CommandError(`There is no task ${only}. The tasks: ${tasks.join(', ')}`, exitCodes.usage)
    context.print(json ? `${JSON.stringify(reports.map(plain), null, 2)}\n` : reports.map(line).join(''))
    const failed = reports.filter(({ outcome }) => outcome === 'failed').length
    if (failed > 0) throw new CommandError(`${failed} of ${reports.length} tasks failed.`)
  })
}

/** Omits the error, which is in the log. */
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
