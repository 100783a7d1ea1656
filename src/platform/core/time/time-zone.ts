import type { EpochMs } from '../clock.ts'
import { lazily } from '../lazily.ts'

const dayMs = 86_400_000

/** For boards that have not set TIME_ZONE. Its days are the same as in version 1. */
export const usualTimeZone = 'Australia/Brisbane'

/** The zone's name in Intl's spelling; undefined for other text. Node's time zone data is authoritative. */
export function readTimeZone(text: string): string | undefined {
  if (!/^[A-Za-z]/.test(text)) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    // Intl does not know this zone.
    return undefined
  }
}

const known = new Map<string, boolean>()

/**
 * Falls back to the usual zone if none was chosen, or if this Node has no data for it: a node with newer data may have
 * stored it.
 */
export function zoneOr(timeZone: string | null | undefined, usual: string): string {
  if (timeZone == null) return usual
  const isKnown = known.get(timeZone) ?? readTimeZone(timeZone) !== undefined
  known.set(timeZone, isKnown)
  return isKnown ? timeZone : usual
}

/** The zones offered in a form: those named after places, and UTC. */
export const timeZones = lazily((): readonly string[] => [
  ...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC']),
])

/** Cached: creating a format costs more than using it a hundred times, and there are only some hundred zones. */
const offsetForms = new Map<string, Intl.DateTimeFormat>()

function offsetForm(timeZone: string): Intl.DateTimeFormat {
  const form =
    offsetForms.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  offsetForms.set(timeZone, form)
  return form
}

/** The zone's offset from UTC at this moment. */
function offsetMs(at: EpochMs, timeZone: string): number {
  const [, sign, hours, minutes = '0', seconds = '0'] =
    /GMT(?:([+-])(\d+):?(\d\d)?:?(\d\d)?)?$/.exec(offsetForm(timeZone).format(at)) ?? []
  const length = (Number(hours ?? 0) * 60 + Number(minutes)) * 60 + Number(seconds)
  return (sign === '-' ? -length : length) * 1000
}

/** `2026-11-14T10:00:00.000+10:00` */
export function isoIn(at: EpochMs, timeZone: string): string {
  const offset = offsetMs(at, timeZone)
  const wall = new Date(at + offset).toISOString().slice(0, -1)
  const distance = new Date(Math.abs(offset)).toISOString().slice(11, 16)
  return `${wall}${offset < 0 ? '-' : '+'}${distance}`
}

/** The calendar day, `2026-11-14`. */
export function dayIn(at: EpochMs, timeZone: string): string {
  return isoIn(at, timeZone).slice(0, 10)
}

/** The first moment of a day, or of the next day if the zone skipped it. */
export function startOfDay(day: string, timeZone: string): EpochMs {
  return whenClocksShow(day, '00:00', timeZone)
}

/**
 * The first moment of the day at which clocks show this time, or a later one if they skip it. Clocks may change around
 * that time, so it is computed with the offsets before and after; the first result that is not too early wins.
 */
export function whenClocksShow(day: string, time: string, timeZone: string): EpochMs {
  const wanted = `${day}T${time}`
  const wall = Date.parse(`${wanted}:00Z`)
  const moments = [wall - dayMs, wall + dayMs].map(near => wall - offsetMs(near, timeZone))
  return Math.min(...moments.filter(moment => isoIn(moment, timeZone) >= wanted))
}

/**
 * `2026-11-15` after `2026-11-14`, and `+010000-01-01` after `9999-12-31`, which people enter to mean "without end".
 */
export function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + dayMs).toISOString().replace(/T.*/, '')
}
