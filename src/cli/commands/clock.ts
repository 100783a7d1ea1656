import type { Command } from 'commander'
import { aheadOrBehind } from '../../core/clock.ts'
import { pointInTime } from '../terminal/arguments.ts'
import { CommandError, type Context, withServices } from '../terminal/context.ts'

export function addClock(program: Command, context: Context): void {
  const clock = program.command('clock').description('Dates that a wrong clock has left behind.')

  clock
    .command('settle')
    .description(
      'Give applications that are dated in the future the present time. Dates still rise with the IDs.',
    )
    .requiredOption(
      '--now <time>',
      'the time by another clock, such as 2026-11-16T03:10:00Z: nothing is done unless that of this machine agrees',
      pointInTime,
    )
    .action(({ now }: { now: number }) =>
      withServices(context, async ({ clock, clockDifference, settleDates }, { limits }) => {
        const ms = clock() - now
        if (Math.abs(ms) > limits.clockMostMs)
          throw new CommandError(`The clock of this machine is ${aheadOrBehind(ms)} --now. Set it first.`)
        const toDatabase = (await clockDifference()) ?? 0
        if (Math.abs(toDatabase) > limits.clockToleranceMs)
          throw new CommandError(
            `The clock of this machine is ${aheadOrBehind(toDatabase)} that of the database. Synchronise both first (NTP).`,
          )
        const { advertisers, applications } = await settleDates()
        context.print(
          applications === 0
            ? 'No application is dated in the future.\n'
            : `${applications} applications to ${advertisers} advertisers now have the present time as their date.\n`,
        )
      }),
    )
}
