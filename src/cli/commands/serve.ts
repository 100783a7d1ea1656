import { type Command, InvalidArgumentError } from 'commander'
import { CommandError, type Context, exitCodes } from '../terminal/context.ts'

const maxWorkers = 64

export function addServe(program: Command, context: Context): void {
  program
    .command('serve')
    .description('Run the service until SIGTERM or SIGINT.')
    .option('--demo', 'load the demo world and serve it on this machine only')
    .option(
      '--workers <number>',
      'number of processes that share one port, under a supervisor that restarts them in turn on SIGHUP (default: one process without a supervisor)',
      workerCount,
    )
    .action(async ({ demo = false, workers }: { demo?: boolean; workers?: number }) => {
      // Workers are started with the same arguments.
      if (workers === undefined || context.worker !== undefined) {
        const { serveHere } = await import('../process/serve-process.ts')
        return serveHere(context, demo)
      }
      if (!demo) {
        const { supervise } = await import('../process/supervisor.ts')
        return supervise(context, workers)
      }
      throw new CommandError(
        'The demo runs in one process, because its careers page keeps its visitors in memory. Leave out --workers or --demo.',
        exitCodes.usage,
      )
    })
}

function workerCount(text: string): number {
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > maxWorkers) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxWorkers}.`)
  }
  return count
}
