import { InvalidArgumentError } from 'commander'
import { type WorldName, worldNames } from '../../demo/world-names.ts'
import { option } from '../../platform/cli/arguments.ts'
import { CommandError, exitCodes } from '../../platform/cli/command-error.ts'
import { plainCommand } from './command.ts'

const maxWorkers = 64

export const serve = plainCommand({
  about: 'Run the service until SIGTERM or SIGINT.',
  options: {
    demo: option<(text: string) => WorldName | true>(
      '[world]',
      `load a demo world and serve it on this machine only: ${worldNames.join(' or ')} (default: ${worldNames[0]})`,
      worldName,
    ),
    workers: option(
      '<number>',
      'number of processes that share one port, under a supervisor that restarts them in turn on SIGHUP (default: one process without a supervisor)',
      workerCount,
    ),
  },
  async run(context, { demo: chosen, workers }) {
    const demo = chosen === true ? worldNames[0] : chosen
    // Workers are started with the same arguments.
    if (workers === undefined || context.worker !== undefined) {
      const { serveHere } = await import('../process/serve-process.ts')
      return serveHere(context, demo)
    }
    if (demo === undefined) {
      const { supervise } = await import('../process/supervisor.ts')
      return supervise(context, workers)
    }
    throw new CommandError(
      'The demo runs in one process, because its careers page keeps its visitors in memory. Leave out --workers or --demo.',
      exitCodes.usage,
    )
  },
})

function worldName(text: string): WorldName {
  const name = worldNames.find(each => each === text)
  if (name === undefined) throw new InvalidArgumentError(`It must be ${worldNames.join(' or ')}.`)
  return name
}

function workerCount(text: string): number {
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > maxWorkers) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxWorkers}.`)
  }
  return count
}
