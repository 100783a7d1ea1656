/**
 * Characters that XML 1.0 cannot carry: control characters other than tab, line feed and carriage return, U+FFFE,
 * U+FFFF, and lone surrogates. Text is checked on input, so that every stored value can be sent in JSON, XML and headers.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters.
const unwritable = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/
const unwritableAnywhere = new RegExp(unwritable, 'g')

export type TextFault = 'empty' | 'too-long' | 'unwritable-character'

export interface TextBounds {
  maxLength: number
  /** True when an empty value is invalid, as for names and identifiers. */
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

/** Line and paragraph separators of any kind; names and phone numbers must not contain them. */
export function hasLineBreak(value: string): boolean {
  return /[\n\r\u0085\u2028\u2029]/.test(value)
}

/** Replaces unwritable characters by U+FFFD. */
export function writableText(value: string): string {
  return isWritableText(value) ? value : value.toWellFormed().replaceAll(unwritableAnywhere, '\uFFFD')
}

/** Does the text have a visible character, i.e. more than spaces and invisible marks? */
export function isVisible(value: string): boolean {
  return /[^\s\p{Cc}\p{Cf}\p{Z}\u115F\u1160\u3164\uFFA0]/u.test(value)
}
