import type { EpochMs } from '../../platform/core/clock.ts'
import { sha256Hex } from '../../platform/core/hashing.ts'

/** Limit: For half a year, a browser that has signed in to an account is not delayed by others' wrong passwords. */
export const knownBrowserSeconds = 180 * 86_400
/** Limit: After a day without a wrong password, the count starts again. */
export const signInFailuresForgottenSeconds = 86_400

/** The key that counts an account's failures, whether or not the account exists. */
export const accountKey = (email: string): string => `account:${sha256Hex(email)}`

/** The number of consecutive failed attempts, and the time of the last one. */
export interface Failures {
  failures: number
  lastFailedAt: EpochMs
}

export interface DelayRule {
  /** Failures without a delay, for honest mistakes. */
  free: number
  /** The longest delay, so that no one is locked out for good. */
  maxSeconds: number
  /** Failures are reset after this time without another one. */
  forgottenAfterSeconds: number
}

/** Returns the delay before the next attempt: 1 s, 2 s, 4 s and so on. */
export function delaySeconds(failures: number, { free, maxSeconds }: DelayRule): number {
  if (failures < free) return 0
  // The exponent is capped because larger powers exceed the maximum anyway.
  return Math.min(maxSeconds, 2 ** Math.min(failures - free, 30))
}

/** Returns the time until the next attempt is allowed; never more than the rule's maximum, even if the clock jumped. */
export function waitMs(found: Failures | undefined, now: EpochMs, rule: DelayRule): number {
  if (found === undefined || isForgotten(found, now, rule)) return 0
  const delayMs = delaySeconds(found.failures, rule) * 1000
  return Math.max(0, Math.min(delayMs, found.lastFailedAt + delayMs - now))
}

export function withAnother(found: Failures | undefined, now: EpochMs, rule: DelayRule): Failures {
  const before = found === undefined || isForgotten(found, now, rule) ? 0 : found.failures
  return { failures: before + 1, lastFailedAt: now }
}

function isForgotten({ lastFailedAt }: Failures, now: EpochMs, rule: DelayRule): boolean {
  return now - lastFailedAt > rule.forgottenAfterSeconds * 1000
}
