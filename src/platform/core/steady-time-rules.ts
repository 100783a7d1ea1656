import type { EpochMs } from './clock.ts'

/**
 * Limit: How far the clocks of a node and of PostgreSQL may differ before the log and "dossier doctor" report it.
 * Synchronised clocks differ by milliseconds; no code, session or window is so short that two seconds matter.
 */
export const clockToleranceMs = 2_000
/**
 * Limit: How far the clocks of a node and of PostgreSQL may differ before background work stops removing data by age.
 * Data that must not be removed early, such as an idempotency key, lives for half an hour or longer.
 */
export const maxClockDifferenceMs = 60_000
/**
 * Limit: How long the service runs, after its clock has jumped or it was stopped, before it removes anything by age;
 * and how long erasures planned by a retention period wait. A day is enough for an operator to see the warning.
 */
export const clockSteadyMs = 86_400_000

/**
 * Limit: How long the service may have been stopped before it doubts its clock at a start: a clock that went wrong in
 * that time is ahead by no more than that, and every period is a month or longer.
 */
const clockGapMs = 3_600_000
/**
 * Limit: How far a clock in doubt may move in all before its day starts again: four days, so that a machine that is
 * switched off each night and at weekends gets out of doubt.
 */
const clockFurtherMs = 345_600_000

/** The shared record of all processes about the time that has passed. */
export interface ServiceClock {
  /** Changes with each write, so that no two processes count the same time. */
  ticks: number
  /** Time that the service has run, by clocks that cannot be set. */
  runningMs: number
  /** The system clock at the last sign of life; null if there has been none. */
  seenAt: EpochMs | null
  /** Running time at which the clock came into doubt; null if it is trusted. */
  doubtedFrom: number | null
  /** How far the clock had then moved beyond the time that had passed (negative: back). */
  doubtMs: number
  /** How far the clock has moved since then. */
  furtherMs: number
}

/** One process's observations since its last check; `movedMs` is undefined in its first check. */
export interface Seen {
  now: EpochMs
  /** Time since it first saw the current number of ticks; undefined if it sees that number for the first time. */
  creditMs: number | undefined
  /** How far the clock has moved beyond the time that has passed. */
  movedMs: number | undefined
}

/**
 * Counts running time: only a process that has seen the last tick may add the time since then. Any other process leaves
 * the row unchanged: otherwise two processes that check in turn would never find their own tick.
 *
 * Doubts a clock that has moved more than the time that passed. A process that checks for the first time knows only the
 * last sign of life: the clock may be wrong by as much as the service was stopped. In doubt, further moves restart the
 * day only if their sum is large: otherwise a machine that is switched off each night would stay in doubt forever.
 */
export function afterLook(found: ServiceClock, { now, creditMs, movedMs }: Seen): ServiceClock {
  const runningMs = found.runningMs + (creditMs ?? 0)
  const moved = movedMs ?? (found.seenAt === null ? 0 : now - found.seenAt)
  const isMoved = Math.abs(moved) > (movedMs === undefined ? clockGapMs : maxClockDifferenceMs)
  if (!isMoved && creditMs === undefined) return found
  const next: ServiceClock = { ...found, ticks: found.ticks + 1, runningMs, seenAt: now }
  if (!isMoved) return pausedMs(next) > 0 ? next : { ...next, doubtedFrom: null }
  const furtherMs = found.furtherMs + Math.abs(moved)
  if (found.doubtedFrom !== null && furtherMs <= clockFurtherMs) return { ...next, furtherMs }
  return { ...next, doubtedFrom: runningMs, doubtMs: moved, furtherMs: 0 }
}

/** Remaining running time until removal by age resumes; 0 if it is not paused. */
export function pausedMs({ doubtedFrom, runningMs }: ServiceClock): number {
  return doubtedFrom === null ? 0 : Math.max(0, clockSteadyMs - (runningMs - doubtedFrom))
}
