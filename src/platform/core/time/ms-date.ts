import type { Clock, EpochMs } from '../clock.ts'

/** Version 1 uses Australian Eastern Standard Time: UTC+10:00 all year, without Sydney's daylight saving. */
const aestOffsetMs = 10 * 60 * 60 * 1000
const dayMs = 86_400_000

/** `/Date(1794614400000+1000)/`: the milliseconds are UTC, the offset is for display. */
export function toMsDate(at: EpochMs): string {
  return `/Date(${at}+1000)/`
}

/** `2026-11-14T10:00:00.000+10:00` */
export function toAestIso(at: EpochMs): string {
  return new Date(at + aestOffsetMs).toISOString().replace('Z', '+10:00')
}

/** The calendar day in AEST, `2026-11-14`. */
export function aestDayOf(at: EpochMs): string {
  return toAestIso(at).slice(0, 10)
}

/** The start of a day in AEST; undefined if there is no such day. */
export function aestDayStart(day: string): EpochMs | undefined {
  return parseAestDateTime(`${day}T00:00:00`)
}

/** The start of a valid day in AEST. */
export function startOfAestDay(day: string): EpochMs {
  const start = aestDayStart(day)
  if (start === undefined) throw new Error(`invalid day ${day}`)
  return start
}

/** Every day from `first` to `last`, inclusive. */
export function aestDays(first: string, last: string): string[] {
  const days: string[] = []
  for (let day = first; day <= last; day = aestDayOf(startOfAestDay(day) + dayMs)) days.push(day)
  return days
}

/** Today, for functions called on every request: the day is computed only once a day. */
export function aestToday(clock: Clock): () => string {
  let today = { day: '', endsAt: 0 }
  return () => {
    const now = clock()
    if (now >= today.endsAt || now < today.endsAt - dayMs) {
      const day = aestDayOf(now)
      today = { day, endsAt: startOfAestDay(day) + dayMs }
    }
    return today.day
  }
}

/** Parses exactly `YYYY-MM-DDTHH:MM:SS` as AEST; undefined if it is not a real calendar time. */
export function parseAestDateTime(text: string): EpochMs | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(text)) return undefined
  const asUtc = Date.parse(`${text}Z`)
  // Date.parse rolls 30 February over to March and accepts 24:00:00, so the result must print as the input does.
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString().slice(0, 19) !== text) return undefined
  return asUtc - aestOffsetMs
}
