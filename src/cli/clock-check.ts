import type { Logger } from 'pino'
import type { Services } from '../app.ts'
import { aheadOrBehind } from '../core/clock.ts'

/** A node whose clock is wrong still serves; what another node made may not be valid there, or for too long. */
export async function warnOfClock({ clockDifference }: Services, mostMs: number, log: Logger): Promise<void> {
  const ms = (await clockDifference()) ?? 0
  if (Math.abs(ms) > mostMs)
    log.warn(
      { seconds: Math.round(ms / 1000) },
      `the clock of this machine is ${aheadOrBehind(ms)} that of the database: synchronise both (NTP)`,
    )
}
