import type { EpochMs } from '../core/clock.ts'
import { dateText, dayText } from '../core/locale.ts'
import { dayIn, isoIn } from '../core/time/time-zone.ts'
import { type Html, html } from './html.ts'

/** A time in a given zone, which the page names. */
export function zonedTime(at: EpochMs, timeZone: string): Html {
  const exact = isoIn(at, timeZone)
  return html`<time datetime="${exact}" title="${exact}">${dateText(at, { dateStyle: 'long', timeStyle: 'short', timeZone })}</time>`
}

/** A day in a given zone, which the page names or which is the reader's company's. */
export function zonedDay(at: EpochMs, timeZone: string): Html {
  return html`<time datetime="${dayIn(at, timeZone)}">${dateText(at, { dateStyle: 'long', timeZone })}</time>`
}

/** A time in a list: the hour if it was today or yesterday, otherwise the day, with the year if that differs. */
export function shortTime(at: EpochMs, { timeZone, now }: { timeZone: string; now: EpochMs }): Html {
  const text = (form: Intl.DateTimeFormatOptions) => dateText(at, { ...form, timeZone })
  const exact = isoIn(at, timeZone)
  const day = exact.slice(0, 10)
  const today = dayIn(now, timeZone)
  const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10)
  const isThisYear = day.slice(0, 4) === today.slice(0, 4)
  const words =
    day === today
      ? `Today, ${text({ timeStyle: 'short' })}`
      : day === yesterday
        ? `Yesterday, ${text({ timeStyle: 'short' })}`
        : text(isThisYear ? { day: 'numeric', month: 'short' } : { dateStyle: 'medium' })
  return html`<time datetime="${exact}" title="${exact}">${words}</time>`
}

/** `Auckland time`: names the zone beside a day, after the place at the end of its name. */
export function zoneName(timeZone: string): string {
  // Their sign follows POSIX: Etc/GMT-10 is ten hours ahead of UTC.
  const [, sign, hours] = /^Etc\/GMT([+-])(\d+)$/.exec(timeZone) ?? []
  if (hours !== undefined) return `UTC${sign === '-' ? '+' : '-'}${hours}`
  return timeZone === 'UTC' ? timeZone : `${timeZone.replace(/.*\//, '').replaceAll('_', ' ')} time`
}

/** A time with the exact value as a tooltip. `page.js` converts it to the reader's time zone. */
export function timeElement(at: EpochMs): Html {
  const exact = new Date(at).toISOString()
  return html`<time datetime="${exact}" title="${exact}" data-local>${dateText(at, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })} UTC</time>`
}

/** The day of a time in a table, short and in the reader's time zone, with the exact value as a tooltip. */
export function shortDay(at: EpochMs): Html {
  const exact = new Date(at).toISOString()
  return html`<time datetime="${exact}" title="${exact}" data-local="day">${dayText(at, 'medium')} UTC</time>`
}

/** A day, where hours do not matter. */
export function dayElement(at: EpochMs): Html {
  return html`<time datetime="${new Date(at).toISOString().slice(0, 10)}">${dayText(at)}</time>`
}
