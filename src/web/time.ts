import type { EpochMs } from '../core/clock.ts'
import { isoIn } from '../core/time-zone.ts'
import { type Html, html } from './html.ts'

const form = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
})

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

/** A time with the exact value as a tooltip. `page.js` converts it to the reader's time zone. */
export function timeElement(at: EpochMs): Html {
  const exact = new Date(at).toISOString()
  return html`<time datetime="${exact}" title="${exact}" data-local>${form.format(at)} UTC</time>`
}
