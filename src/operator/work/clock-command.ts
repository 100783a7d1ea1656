import { pointInTime, requiredOption } from '../../platform/cli/arguments.ts'
import { command, group } from '../../platform/cli/command.ts'
import { CommandError } from '../../platform/cli/command-error.ts'
import { aheadOrBehind } from '../../platform/core/clock.ts'
import type { Modules } from '../../platform/core/modules.ts'
import { clockToleranceMs, maxClockDifferenceMs } from '../../platform/core/steady-time-rules.ts'

const now = requiredOption(
  '<time>',
  "the time of another clock, such as 2026-11-16T03:10:00Z; the command does nothing unless this machine's clock agrees",
  pointInTime,
)

export const clock = group('Repair dates after the clock was wrong.', {
  settle: command({
    about:
      'Set the date of applications dated in the future to the current time. Dates still increase with the IDs.',
    options: { now },
    async run(app, { now }) {
      await assertRight(app, now)
      return app.platform.correctDates()
    },
    prints: ({ advertisers, applications }) =>
      applications === 0
        ? 'No application is dated in the future.'
        : `${applications} applications to ${advertisers} advertisers are now dated with the current time.`,
  }),
  confirm: command({
    about:
      'Confirm that the clock is right, after it has moved or the service was stopped: things are removed by age again.',
    options: { now },
    async run(app, { now }) {
      await assertRight(app, now)
      return app.platform.steadyTimes.confirm()
    },
    prints: isConfirmed =>
      isConfirmed
        ? 'The clock is trusted again. What a retention period plans still waits for a day.'
        : 'The clock was not in doubt.',
  }),
})

/** An operator who confirms a wrong clock would do so by that same clock. */
async function assertRight({ platform }: Modules, now: number): Promise<void> {
  const ms = platform.clock() - now
  if (Math.abs(ms) > maxClockDifferenceMs)
    throw new CommandError(`The clock of this machine is ${aheadOrBehind(ms)} --now. Correct it first.`)
  const toDatabase = (await platform.clockDifference()) ?? 0
  if (Math.abs(toDatabase) > clockToleranceMs)
    throw new CommandError(
      `The clock of this machine is ${aheadOrBehind(toDatabase)} that of the database. Synchronise both first (NTP).`,
    )
}
