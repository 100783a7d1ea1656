import type { EpochMs } from '../platform/core/clock.ts'
import { dayAfter, dayIn, startOfDay } from '../platform/core/time/time-zone.ts'
import type { AdDetails } from './ad-details.ts'
import type { AdHold } from './job-report.ts'

export type PostingStatus = 'open' | 'closed'

/** The content of a job ad. */
export interface JobAdFields {
  title: string
  location: string
  description: string
  /** The advertiser's own reference. */
  reference: string | null
  screenId: number | null
  /** YYYY-MM-DD: the last day on which candidates can apply, in the company's time zone. */
  closingDate: string | null
  details?: AdDetails
  /** Read only: operators hold and review ads. */
  hold?: AdHold | null
}

/** Determines whether candidates can apply. */
export interface AdState {
  status: PostingStatus
  closingDate: string | null
  /** Why the ad is not public, whatever its company has chosen. */
  hold?: AdHold | AdHold['kind'] | null
}

/** `timeZone`: the time zone of the ad's company. */
export function isOpen(
  { status, closingDate, hold = null }: AdState,
  now: EpochMs,
  timeZone: string,
): boolean {
  return status === 'open' && hold === null && (closingDate === null || dayIn(now, timeZone) <= closingDate)
}

/** The first moment after the closing date. */
export function closesAt(closingDate: string, timeZone: string): EpochMs {
  return startOfDay(dayAfter(closingDate), timeZone)
}

/** Whether the text is a valid date of the form `YYYY-MM-DD`. */
export function isCalendarDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // Date.parse reads 30 February as a day in March.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}
