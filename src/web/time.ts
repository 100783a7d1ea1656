import type { EpochMs } from '../core/clock.ts'
import { type Html, html } from './html.ts'

const form = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
})

/** A time for people, with the exact one behind it. `page.js` turns it into that of the reader's own clock. */
export function timeElement(at: EpochMs): Html {
  const exact = new Date(at).toISOString()
  return html`<time datetime="${exact}" title="${exact}" data-local>${form.format(at)} UTC</time>`
}
