import type { Command } from 'commander'
import { numericId } from '../terminal/arguments.ts'
import { CommandError, type Context, exitCodes, withServices } from '../terminal/context.ts'

export function addIds(program: Command, context: Context): void {
  const ids = program.command('ids').description('IDs of applications, job ads and questionnaires.')

  ids
    .command('raise')
    .description('After a backup was restored: leave out IDs that were given since, and may have been seen.')
    .option('--by <number>', 'how many: more than were given since (default: 100000)', numericId)
    .action((options: { by?: number }) =>
      withServices(context, async ({ database, raiseIds }, { limits }) => {
        const { by = limits.idsRaisedBy } = options
        if (by > limits.idsRaisedMost)
          throw new CommandError(`--by is at most ${limits.idsRaisedMost}.`, exitCodes.usage)
        const damage = await database.examine?.(false)
        if (damage !== undefined) throw new CommandError(`The database ${damage}.`)
        await raiseIds(by)
        context.print(`${by} IDs of each kind are left out from now on.\n`)
      }),
    )
}
