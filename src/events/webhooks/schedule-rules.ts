import type { EpochMs } from '../../platform/core/clock.ts'
import type { AttemptResult } from './ports.ts'

/**
 * Limit: Time for one webhook, from the look-up of the name to the end of the answer. The Standard Webhooks
 * specification recommends 15 to 30 seconds.
 */
export const webhookAttemptSeconds = 15

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Pauses after failures of the event at the head of a lane; the last one repeats. */
const pauses = [5 * second, 30 * second, 2 * minute, 5 * minute, 15 * minute, 30 * minute]
const minAfterTimeout = minute
const maxRetryAfter = hour

/** Pauses before each retry of a parked event, as the Standard Webhooks specification suggests; then it is given up. */
const deferredPauses = [
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

/** After the failure with this number, from 1. `random` from 0 to 1: up to a fifth is added, never taken away. */
export function pauseAfter(
  failures: number,
  { outcome, status, retryAfterMs = 0 }: AttemptResult,
  random: number,
): number {
  const step = pauses[Math.min(failures, pauses.length) - 1] ?? 0
  const pause = (outcome === 'timeout' ? Math.max(step, minAfterTimeout) : step) * (1 + random / 5)
  const isAskedTo = status === 429 || status === 503
  return Math.round(isAskedTo ? Math.max(pause, Math.min(retryAfterMs, maxRetryAfter)) : pause)
}

/** No pause ends later: one that seems to began on a clock that was ahead. */
export const longestPauseMs = 30 * hour

/** Undefined when a parked event has failed often enough. */
export function deferredPauseAfter(failures: number, random: number): number | undefined {
  const pause = deferredPauses[failures]
  return pause === undefined ? undefined : Math.round(pause * (1 + random / 5))
}

/** The pause before the first retry of a parked event. */
export const firstDeferredPause = (random: number) => deferredPauseAfter(0, random) ?? 0

/** Failures of one event after which the event behind it is tried. */
const patience = 4

const statusesOfOutages = new Set([408, 425, 429, 502, 503, 504])

/** Whether the receiver may be refusing this event alone, so that the one behind it is worth a try. */
export function mayStepAside(failures: number, { outcome, status }: AttemptResult): boolean {
  return failures >= patience && outcome === 'refused' && status !== null && !statusesOfOutages.has(status)
}

/** The receiver says that it is gone for good. */
export const isGone = ({ status }: AttemptResult) => status === 410

const stopAfter = 5 * day
/** After this long without a success, admins are told; at the end of the list the endpoint stops. */
const noticesAfter = [hour, 4 * day, stopAfter]

/**
 * How many of the three notices are due. Counted from the first failure to the last one, so that a lane that rests, for
 * instance because its advertiser is on hold, does not run out of time.
 */
export function noticesDue(failingSince: EpochMs | null, failedAt: EpochMs | null): number {
  if (failingSince === null || failedAt === null) return 0
  return noticesAfter.filter(ms => failedAt - failingSince >= ms).length
}

export const firstNoticeAfterMs = hour

/** Number of the notice that is sent when the endpoint stops. */
export const stopNotice = noticesAfter.length

/** Admins get one email about the failed events of an endpoint in this time. */
export const givenUpNoticeEveryMs = day

/** An answer that took longer makes an endpoint slow: only half of the slots are for slow ones. */
export const slowMs = 2 * second

/** Events older than this are being caught up with, at a limited rate. */
const lateMs = minute

/** How long to wait before the next event, counted from the start of the attempt before. */
export function paceMs(eventNumber: number, now: EpochMs, perSecond: number): number {
  return now - eventNumber > lateMs ? Math.ceil(second / perSecond) : 0
}
