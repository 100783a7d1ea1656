import type { EpochMs } from '../../platform/core/clock.ts'
import type { AttemptResult } from './ports.ts'

/**
 * Limit: Time for one webhook, from the look-up of the name to the end of the response. The Standard Webhooks
 * specification recommends 15 to 30 seconds.
 */
export const webhookAttemptSeconds = 15

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Pauses after failures of the event at a lane's head; the last one repeats. */
const pauses = [5 * second, 30 * second, 2 * minute, 5 * minute, 15 * minute, 30 * minute]
const minAfterTimeout = minute
const maxRetryAfter = hour

/**
 * Pauses before each retry of a parked event, as the Standard Webhooks specification suggests; after the last one it
 * fails for good.
 */
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

/**
 * The pause after this number of failures, counted from 1. `random` from 0 to 1 adds up to a fifth and never shortens
 * it.
 */
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

/** No pause lasts longer: if one seems to, it began when the clock was ahead. */
export const longestPauseMs = 30 * hour

/** Undefined when a parked event has failed too often. */
export function deferredPauseAfter(failures: number, random: number): number | undefined {
  const pause = deferredPauses[failures]
  return pause === undefined ? undefined : Math.round(pause * (1 + random / 5))
}

/** Pause before the first retry of a parked event. */
export const firstDeferredPause = (random: number) => deferredPauseAfter(0, random) ?? 0

/** Failures of one event after which the next event is tried. */
const patience = 4

const statusesOfOutages = new Set([408, 425, 429, 502, 503, 504])

/** Whether the receiver may be refusing this event alone, so that the next one is worth a try. */
export function mayStepAside(failures: number, { outcome, status }: AttemptResult): boolean {
  return failures >= patience && outcome === 'refused' && status !== null && !statusesOfOutages.has(status)
}

/** Whether the receiver says that it is gone for good. */
export const isGone = ({ status }: AttemptResult) => status === 410

const stopAfter = 5 * day
/** Admins are notified after this long without a success; at the end of the list the endpoint stops. */
const noticesAfter = [hour, 4 * day, stopAfter]

/**
 * Number of the three notices that are due. Measured from the first failure to the last one, so that a resting lane,
 * for instance because its advertiser is on hold, does not run out of time.
 */
export function noticesDue(failingSince: EpochMs | null, failedAt: EpochMs | null): number {
  if (failingSince === null || failedAt === null) return 0
  return noticesAfter.filter(ms => failedAt - failingSince >= ms).length
}

export const firstNoticeAfterMs = hour

/** Number of the notice sent when the endpoint stops. */
export const stopNoticeNumber = noticesAfter.length

/** Admins get at most one email in this time about an endpoint's failed events. */
export const givenUpNoticeEveryMs = day

/** A slower response marks an endpoint as slow: only half of the slots are for slow endpoints. */
export const slowMs = 2 * second

/** Older events count as catching up, at a limited rate. */
const lateMs = minute

/** Time to wait before the next event, measured from the start of the previous attempt. */
export function paceMs(eventNumber: number, now: EpochMs, perSecond: number): number {
  return now - eventNumber > lateMs ? Math.ceil(second / perSecond) : 0
}
