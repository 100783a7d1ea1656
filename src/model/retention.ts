import type { EpochMs } from '../platform/core/clock.ts'
import { dayAfter, dayIn, startOfDay } from '../platform/core/time/time-zone.ts'

/** How long companies keep applications: whole months after submission; null means forever. */

/** A shorter period erases nothing before this time has passed, and can be undone until then. */
export const retentionNoticeMs = 14 * 86_400_000

/** Limit: Months for which a company can ask to keep an application for other jobs. */
export const maxKeepMonths = 24

/** The last day of a consent given now: the end of the given number of months. */
export function keepUntil(now: EpochMs, months: number, timeZone: string): string {
  const [year = 0, month = 0] = dayIn(now, timeZone).split('-').map(Number)
  return new Date(Date.UTC(year, month + months, 0)).toISOString().slice(0, 10)
}

/** The operator's retention settings. */
export interface RetentionBounds {
  /** Default for companies that chose no period. */
  standard: number | null
  min: number
  max: number
}

/** A company's stored period. */
export interface StoredPeriod {
  /** The company's choice; null: the operator's default. */
  choice: number | null
  /** The period in force. */
  months: number | null
  /** A shorter period that has been announced, and when it takes effect. */
  next: number | null
  changesAt: EpochMs | null
}

/** The period at a given moment. */
export interface Period {
  months: number | null
  change: { months: number; at: EpochMs } | null
}

/** The period that results from a choice within the bounds. It also applies to every application sent from now on. */
export function chosenMonths(choice: number | null, { standard, min, max }: RetentionBounds): number | null {
  return choice === null ? standard : Math.min(Math.max(choice, min), max)
}

export function isShorter(months: number | null, than: number | null): boolean {
  return months !== null && (than === null || months < than)
}

/** The period in force at `now`: an announced change applies from its time on, recorded or not. */
export function periodAt({ months, next, changesAt }: StoredPeriod, now: EpochMs): Period {
  if (next === null || changesAt === null) return { months, change: null }
  return changesAt <= now
    ? { months: next, change: null }
    : { months, change: { months: next, at: changesAt } }
}

/**
 * Applies the company's choice and the operator's settings. A longer period takes effect immediately, and so does any
 * period if there is no application that it could erase earlier. A shorter one is announced first; one that is longer
 * than a period already announced keeps its date, because it only erases less.
 */
export function resolvePeriod(
  stored: StoredPeriod,
  bounds: RetentionBounds,
  { now, isEmpty }: { now: EpochMs; isEmpty: boolean },
): StoredPeriod {
  const { months, change } = periodAt(stored, now)
  const { choice } = stored
  const wanted = chosenMonths(choice, bounds)
  if (wanted === null || isEmpty || !isShorter(wanted, months))
    return { choice, months: wanted, next: null, changesAt: null }
  const isAnnounced = change !== null && wanted >= change.months
  return { choice, months, next: wanted, changesAt: isAnnounced ? change.at : now + retentionNoticeMs }
}

/** The choice that undoes an announced change; undefined if the operator's settings no longer allow the period. */
export function choiceBefore({ months }: Period, bounds: RetentionBounds): number | null | undefined {
  return chosenMonths(months, bounds) === months ? months : undefined
}

/** From the 31st to a shorter month: returns its last day. */
export function addMonths(day: string, months: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const length = new Date(Date.UTC(year, month + months, 0)).getUTCDate()
  return new Date(Date.UTC(year, month - 1 + months, Math.min(date, length))).toISOString().slice(0, 10)
}

/** Applications are kept until the end of the day, in the company's time zone, on which the months are over. */
function endOf(submittedAt: EpochMs, months: number, timeZone: string): EpochMs {
  return startOfDay(dayAfter(addMonths(dayIn(submittedAt, timeZone), months)), timeZone)
}

/**
 * When an application becomes due; null if never. Not before the end of `keptUntil`, until which its candidate allows
 * keeping it.
 */
export function dueAt(
  submittedAt: EpochMs,
  period: Period,
  timeZone: string,
  keptUntil: string | null = null,
): EpochMs | null {
  const end = dueByPeriod(submittedAt, period, timeZone)
  return end === null || keptUntil === null ? end : Math.max(end, startOfDay(dayAfter(keptUntil), timeZone))
}

function dueByPeriod(submittedAt: EpochMs, { months, change }: Period, timeZone: string): EpochMs | null {
  const end = months === null ? null : endOf(submittedAt, months, timeZone)
  if (change === null) return end
  const changedEnd = Math.max(endOf(submittedAt, change.months, timeZone), change.at)
  return end === null ? changedEnd : Math.min(end, changedEnd)
}

/** Exactly the applications sent before this moment are due at `at`, after this number of months. */
export function dueBefore(at: EpochMs, months: number, timeZone: string): EpochMs {
  const today = dayIn(at, timeZone)
  const day = addMonths(today, -months)
  // One month before 31 March is 28 February, whose month ended on 28 March.
  return startOfDay(addMonths(day, months) < today ? dayAfter(day) : day, timeZone)
}
