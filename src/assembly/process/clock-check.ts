import type { Logger } from 'pino'
import { describeFutureDates } from '../../operator/checks/machine-checks.ts'
import { aheadOrBehind, createJumpWatch, steadyClock } from '../../platform/core/clock.ts'
import { clockToleranceMs } from '../../platform/core/steady-time-rules.ts'
import type { App } from '../app.ts'

/**
 * Limit: How often the service compares the system clock with a monotonic one: applications that arrive between a
 * jump and its detection get the wrong date.
 */
const clockCheckMs = 1_000
/** Limit: How often each process counts its running time. A process that is killed loses this much. */
const clockTickMs = 60_000

/**
 * A node with an incorrect clock still serves, but may treat other nodes' codes and sessions as expired, or as valid
 * for too long.
 */
export async function warnOfClock(app: App, log: Logger): Promise<void> {
  // Compares the clock with the last sign of life, and logs the result. Removal by age checks again before it runs.
  await app.platform.steadyTimes
    .look()
    .catch(error => log.warn({ err: error }, 'the clock could not be compared with the last sign of life'))
  const ms = (await app.platform.clockDifference()) ?? 0
  if (Math.abs(ms) > clockToleranceMs)
    log.warn(
      { seconds: Math.round(ms / 1000) },
      `the clock of this machine is ${aheadOrBehind(ms)} that of the database: synchronise both (NTP)`,
    )
  const future = await describeFutureDates(app)
  if (future !== undefined) log.warn(future)
}

/** Returns a function that stops watching. */
export function watchClock(app: App, log: Logger): () => void {
  const jumped = createJumpWatch(app.platform.clock, steadyClock, clockToleranceMs)
  let countedAt = steadyClock()
  const look = async () => {
    const ms = jumped()
    if (ms !== undefined || steadyClock() - countedAt >= clockTickMs) {
      countedAt = steadyClock()
      await app.platform.steadyTimes.look()
    }
    if (ms === undefined) return
    log.warn(
      { seconds: Math.round(ms / 1000) },
      `the clock of this machine has jumped ${ms > 0 ? 'forward' : 'back'}: unless the machine slept, check it. New applications are dated by it`,
    )
    await warnOfClock(app, log)
  }
  const timer = setInterval(
    () => look().catch(error => log.warn({ err: error }, 'the clock could not be compared')),
    clockCheckMs,
  )
  timer.unref()
  return () => clearInterval(timer)
}
