/**
 * Text is checked when it enters, so that every stored value can leave in JSON, XML and headers.
 * Refused: what XML 1.0 cannot carry, i.e. control characters other than tab, line feed and carriage
 * return, the two non-characters at the end of the basic plane, and lone surrogates.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const unwritable = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/
const unwritableAnywhere = new RegExp(unwritable, 'g')

export type TextFault = 'empty' | 'too-long' | 'unwritable-character'

export interface TextBounds {
  maxLength: number
  /** True when nothing at all is no value: names, identifiers. */
  required: boolean
}

export function textFault(value: string, bounds: TextBounds): TextFault | undefined {
  if (value.length > bounds.maxLength) return 'too-long'
  if (bounds.required && value.trim() === '') return 'empty'
  return isWritableText(value) ? undefined : 'unwritable-character'
}

export function isWritableText(value: string): boolean {
  return value.isWellFormed() && !unwritable.test(value)
}

/** What ends a line or a paragraph anywhere: names and phone numbers have none. */
export function hasLineBreak(value: string): boolean {
  return /[\n\r\u0085\u2028\u2029]/.test(value)
}

/** With a mark in the place of what cannot be written. */
export function writableText(value: string): string {
  return isWritableText(value) ? value : value.toWellFormed().replaceAll(unwritableAnywhere, '\uFFFD')
}

/** Something that a reader sees: not only blanks, and not only marks without a shape of their own. */
export function isVisible(value: string): boolean {
  return /[^\s\p{Cc}\p{Cf}\p{Z}\u115F\u1160\u3164\uFFA0]/u.test(value)
}
