import type { EpochMs } from '../core/clock.ts'
import { isoIn } from '../core/time-zone.ts'
import { type Html, html } from './html.ts'

const form = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
})

const zonedForms = new Map<string, Intl.DateTimeFormat>()

/** In the zone of the page, which the page names. */
export function zonedTime(at: EpochMs, timeZone: string): Html {
  const zoned =
    zonedForms.get(timeZone) ??
    new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone })
  zonedForms.set(timeZone, zoned)
  const exact = isoIn(at, timeZone)
  return html`<time datetime="${exact}" title="${exact}">${zoned.format(at)}</time>`
}

/** A time for people, with the exact one behind it. `page.js` turns it into that of the reader's own clock. */
export function timeElement(at: EpochMs): Html {
  const exact = new Date(at).toISOString()
  return html`<time datetime="${exact}" title="${exact}" data-local>${form.format(at)} UTC</time>`
}
