import { type Html, html } from './html.ts'

/** Marks that turn text around until another one ends it. Those that only say what a blank belongs to may stay. */
const turning = /[\u202A-\u202E\u2066-\u2069]/g

/** For places without markup, such as the title of a window. */
export function unturned(text: string): string {
  return text.replaceAll(turning, '')
}

/**
 * What others have written, in a line with words of ours: from whichever side it is read, ours stay where they
 * are. Marks in it could end the isolation and turn the rest of the line around, so there are none.
 */
export function theirs(text: string): Html {
  return html`<bdi>${unturned(text)}</bdi>`
}
