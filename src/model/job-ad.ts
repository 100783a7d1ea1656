import type { EpochMs } from '../core/clock.ts'
import { toAestIso } from '../core/time/ms-date.ts'

export type PostingStatus = 'open' | 'closed'

/** The content of a job ad. */
export interface JobAdFields {
  title: string
  location: string
  description: string
  /** The advertiser's own reference. */
  reference: string | null
  screenId: number | null
  /** YYYY-MM-DD: the last day on which candidates can apply. */
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

/** Whether the text is a valid date of the form `YYYY-MM-DD`. */
export function isCalendarDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // Date.parse reads the 30th of February as a day in March.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}
