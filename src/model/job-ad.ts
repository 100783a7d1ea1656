import type { EpochMs } from '../core/clock.ts'
import { toAestIso } from '../core/ms-date.ts'

export type PostingStatus = 'open' | 'closed'

/** What an advertiser says about a job. */
export interface JobAdFields {
  title: string
  location: string
  description: string
  /** The advertiser's own. */
  reference: string | null
  screenId: number | null
  /** YYYY-MM-DD: the last day on which applications are taken. */
  closingDate: string | null
}

/** The calendar day in Australian Eastern Standard Time. */
export function dayOf(at: EpochMs): string {
  return toAestIso(at).slice(0, 10)
}

export function isOpen(
  { status, closingDate }: { status: PostingStatus; closingDate: string | null },
  now: EpochMs,
): boolean {
  return status === 'open' && (closingDate === null || dayOf(now) <= closingDate)
}

/** Exactly `YYYY-MM-DD`, and in the calendar. */
export function isCalendarDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // A parser takes the 30th of February for a day in March.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}
