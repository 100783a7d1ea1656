import type { Logger } from 'pino'
import type { Services } from '../../app.ts'
import { describeFutureDates } from '../../assembly/checks/machine-checks.ts'
import type { Config } from '../../config.ts'
import { aheadOrBehind, createJumpWatch, steadyClock } from '../../core/clock.ts'

type Limits = Config['limits']

/** A node with a wrong clock still serves, but may judge codes and sessions of other nodes as expired, or valid too long. */
export async function warnOfClock(services: Services, limits: Limits, log: Logger): Promise<void> {
  const ms = (await services.clockDifference()) ?? 0
  if (Math.abs(ms) > limits.clockToleranceMs)
    log.warn(
      { seconds: Math.round(ms / 1000) },
      `the clock of this machine is ${aheadOrBehind(ms)} that of the database: synchronise both (NTP)`,
    )
  const future = await describeFutureDates(services, limits)
  if (future !== undefined) log.warn(future)
}

/** Returns a function that stops watching. */
export function watchClock(services: Services, limits: Limits, log: Logger): () => void {
  const jumped = createJumpWatch(services.clock, steadyClock, limits.clockToleranceMs)
  const look = async () => {
    const ms = jumped()
    if (ms === undefined) return
    log.warn(
      { seconds: Math.round(ms / 1000) },
      `the clock of this machine has jumped ${ms > 0 ? 'forward' : 'back'}: unless the machine slept, check it. New applications are dated by it`,
    )
    await warnOfClock(services, limits, log)
  }
  const timer = setInterval(
    () => look().catch(error => log.warn({ err: error }, 'the clock could not be compared')),
    limits.clockLookMs,
  )
  timer.unref()
  return () => clearInterval(timer)
}
