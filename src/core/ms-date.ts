import type { EpochMs } from './clock.ts'

/** Version 1 speaks Australian Eastern Standard Time: UTC+10:00 all year, whatever Sydney's clocks do. */
const aestOffsetMs = 10 * 60 * 60 * 1000

/** `/Date(1794614400000+1000)/`: the milliseconds are UTC, the offset is for display. */
export function toMsDate(at: EpochMs): string {
  return `/Date(${at}+1000)/`
}

/** `2026-11-14T10:00:00.000+10:00` */
export function toAestIso(at: EpochMs): string {
  return new Date(at + aestOffsetMs).toISOString().replace('Z', '+10:00')
}

/** The calendar day of AEST, `2026-11-14`. */
export function aestDayOf(at: EpochMs): string {
  return toAestIso(at).slice(0, 10)
}

/** When a day of AEST begins; undefined when there is no such day. */
export function aestDayStart(day: string): EpochMs | undefined {
  return parseAestDateTime(`${day}T00:00:00`)
}

/** Reads exactly `YYYY-MM-DDTHH:MM:SS` as AEST; undefined when it is no real calendar time. */
export function parseAestDateTime(text: string): EpochMs | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(text)) return undefined
  const asUtc = Date.parse(`${text}Z`)
  // Date.parse rolls 30 February over to March, and takes 24:00:00: whatever does not print as it was read is no time.
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString().slice(0, 19) !== text) return undefined
  return asUtc - aestOffsetMs
}
