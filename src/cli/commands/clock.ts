import type { Command } from 'commander'
import { aheadOrBehind } from '../../core/clock.ts'
import { pointInTime } from '../terminal/arguments.ts'
import { CommandError, type Context, withServices } from '../terminal/context.ts'

export function addClock(program: Command, context: Context): void {
  const clock = program.command('clock').description('Repair dates after the clock was wrong.')

  clock
    .command('settle')
    .description(
      'Set the date of applications dated in the future to the current time. Dates still increase with the IDs.',
    )
    .requiredOption(
      '--now <time>',
      "the time of another clock, such as 2026-11-16T03:10:00Z; the command does nothing unless this machine's clock agrees",
      pointInTime,
    )
    .action(({ now }: { now: number }) =>
      withServices(context, async ({ clock, clockDifference, settleDates }, { limits }) => {
        const ms = clock() - now
        if (Math.abs(ms) > limits.clockMostMs)
          throw new CommandError(`The clock of this machine is ${aheadOrBehind(ms)} --now. Correct it first.`)
        const toDatabase = (await clockDifference()) ?? 0
        if (Math.abs(toDatabase) > limits.clockToleranceMs)
          throw new CommandError(
            `The clock of this machine is ${aheadOrBehind(toDatabase)} that of the database. Synchronise both first (NTP).`,
          )
        const { advertisers, applications } = await settleDates()
        context.print(
          applications === 0
            ? 'No application is dated in the future.\n'
            : `${applications} applications to ${advertisers} advertisers are now dated with the current time.\n`,
        )
      }),
    )
}
