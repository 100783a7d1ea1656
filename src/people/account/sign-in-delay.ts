import type { EpochMs } from '../../core/clock.ts'

/** Failed attempts in a row, and when the last of them was. */
export interface Failures {
  failures: number
  lastFailedAt: EpochMs
}

export interface DelayRule {
  /** So many mistakes are free: people make them. */
  free: number
  /** The longest wait: nobody is locked out for good. */
  mostSeconds: number
  /** After this time without a failure, all of them are forgotten. */
  forgottenAfterSeconds: number
}

/** How long the next attempt has to wait after so many failures: 1 s, 2 s, 4 s and so on. */
export function delaySeconds(failures: number, { free, mostSeconds }: DelayRule): number {
  if (failures < free) return 0
  // Beyond 2^30 the power would only grow into what the bound cuts off.
  return Math.min(mostSeconds, 2 ** Math.min(failures - free, 30))
}

/** How long from now; 0 when an attempt may be made. Never longer than the rule says, whatever a clock did. */
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
