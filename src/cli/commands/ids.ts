import type { Command } from 'commander'
import { numericId } from '../terminal/arguments.ts'
import { CommandError, type Context, exitCodes, withServices } from '../terminal/context.ts'

export function addIds(program: Command, context: Context): void {
  const ids = program
    .command('ids')
    .description('Manage the IDs of applications, job ads and questionnaires.')

  ids
    .command('raise')
    .description(
      'After restoring a backup: skip IDs that were assigned since it was made and that callers may have seen.',
    )
    .option('--by <number>', 'how many: more than were assigned since (default: 100000)', numericId)
    .action((options: { by?: number }) =>
      withServices(context, async ({ database, raiseIds }, { limits }) => {
        const { by = limits.idsRaisedBy } = options
        if (by > limits.idsRaisedMost)
          throw new CommandError(`--by must be ${limits.idsRaisedMost} or less.`, exitCodes.usage)
        const damage = await database.examine?.(false)
        if (damage !== undefined) throw new CommandError(`The database ${damage}.`)
        await raiseIds(by)
        context.print(`Skipped ${by} IDs of each kind.\n`)
      }),
    )
}
