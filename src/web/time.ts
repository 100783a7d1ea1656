import type { EpochMs } from '../core/clock.ts'
import { lazily } from '../core/lazily.ts'
import { dayIn, isoIn } from '../core/time/time-zone.ts'
import { type Html, html } from './html.ts'

const form = lazily(
  () =>
    new Intl.DateTimeFormat('en-GB', {
      dateStyle: 'long',
      timeStyle: 'short',
      timeZone: 'UTC',
    }),
)

const zonedForms = new Map<string, Intl.DateTimeFormat>()

/** A time in a given zone, which the page names. */
export function zonedTime(at: EpochMs, timeZone: string): Html {
  const zoned =
    zonedForms.get(timeZone) ??
    new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone })
  zonedForms.set(timeZone, zoned)
  const exact = isoIn(at, timeZone)
  return html`<time datetime="${exact}" title="${exact}">${zoned.format(at)}</time>`
}

const zonedDays = new Map<string, Intl.DateTimeFormat>()

/** A day in a given zone, which the page names or which is the reader's company's. */
export function zonedDay(at: EpochMs, timeZone: string): Html {
  const zoned = zonedDays.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone })
  zonedDays.set(timeZone, zoned)
  return html`<time datetime="${dayIn(at, timeZone)}">${zoned.format(at)}</time>`
}

const shortForms = new Map<string, Record<'time' | 'day' | 'year', Intl.DateTimeFormat>>()

/** A time of a list: the hour if it was today or yesterday, otherwise the day, and the year if that is another one. */
export function shortTime(at: EpochMs, { timeZone, now }: { timeZone: string; now: EpochMs }): Html {
  const formOf = (form: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', { ...form, timeZone })
  const forms = shortForms.get(timeZone) ?? {
    time: formOf({ timeStyle: 'short' }),
    day: formOf({ day: 'numeric', month: 'short' }),
    year: formOf({ dateStyle: 'medium' }),
  }
  shortForms.set(timeZone, forms)
  const exact = isoIn(at, timeZone)
  const day = exact.slice(0, 10)
  const today = dayIn(now, timeZone)
  const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10)
  const isThisYear = day.slice(0, 4) === today.slice(0, 4)
  const text =
    day === today
      ? `Today, ${forms.time.format(at)}`
      : day === yesterday
        ? `Yesterday, ${forms.time.format(at)}`
        : (isThisYear ? forms.day : forms.year).format(at)
  return html`<time datetime="${exact}" title="${exact}">${text}</time>`
}

/** A time with the exact value as a tooltip. `page.js` converts it to the reader's time zone. */
export function timeElement(at: EpochMs): Html {
  const exact = new Date(at).toISOString()
  return html`<time datetime="${exact}" title="${exact}" data-local>${form().format(at)} UTC</time>`
}

const dayForm = lazily(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }))

/** A day, for what is not a matter of hours. */
export function dayElement(at: EpochMs): Html {
  return html`<time datetime="${new Date(at).toISOString().slice(0, 10)}">${dayForm().format(at)}</time>`
}
