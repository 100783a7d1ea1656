import { type Html, html } from './html.ts'

/** Control characters that change the direction of all text up to a closing one. Directional marks are allowed. */
const bidiControls = /[\u202A-\u202E\u2066-\u2069]/g

/** Removes direction controls, for places without markup such as a window title. */
export function stripBidi(text: string): string {
  return text.replaceAll(bidiControls, '')
}

/**
 * Isolates text from users, so that its direction does not reorder our own words around it. Controls in the text
 * could end the isolation, so they are removed.
 */
export function isolateBidi(text: string): Html {
  return html`<bdi>${stripBidi(text)}</bdi>`
}
