import type { Logger } from 'pino'
import type { Services } from '../../app.ts'
import type { Config } from '../../config.ts'
import { aheadOrBehind, createJumpWatch, steadyClock } from '../../core/clock.ts'

type Limits = Config['limits']

/** A node whose clock is wrong still serves; what another node made may not be valid there, or for too long. */
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

/** Returns what ends it. */
export function watchClock(services: Services, limits: Limits, log: Logger): () => void {
  const jumped = createJumpWatch(services.clock, steadyClock, limits.clockToleranceMs)
  const look = async () => {
    const ms = jumped()
    if (ms === undefined) return
    log.warn(
      { seconds: Math.round(ms / 1000) },
      `the clock of this machine has jumped ${ms > 0 ? 'forward' : 'back'}: unless the machine slept, see that it is right. Whatever comes in is dated by it`,
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

/** Each later application gets the same date, because dates never decrease: that does not pass by itself. */
export async function describeFutureDates(
  { futureDates }: Services,
  { clockMostMs }: Limits,
): Promise<string | undefined> {
  const found = await futureDates(clockMostMs)
  if (found === undefined) return undefined
  const { advertisers, newest } = found
  return `applications to ${advertisers} of the advertisers are dated up to ${new Date(newest).toISOString()}, and so is whatever comes next for them: the clock of this machine is behind, or was ahead. When it is right, run "dossier clock settle --now <the time by another clock>"`
}
