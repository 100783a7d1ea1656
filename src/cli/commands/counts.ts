import type { Command } from 'commander'
import { type Context, withServices } from '../terminal/context.ts'

export function addCounts(program: Command, context: Context): void {
  const counts = program
    .command('counts')
    .description('Manage the numbers of applications that the console shows.')

  counts
    .command('repair')
    .description(
      'Count the applications of every advertiser again and correct the numbers; the service may run.',
    )
    .action(() =>
      withServices(context, async ({ advertisers, counts: store }) => {
        let corrected = 0
        for (const { id } of await advertisers.list()) corrected += (await store.repair(id)).length
        context.print(
          corrected === 0
            ? 'All counts are right.\n'
            : `Corrected ${corrected === 1 ? '1 count' : `${corrected} counts`}.\n`,
        )
      }),
    )
}
