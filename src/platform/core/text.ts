/**
 * Characters that XML 1.0 cannot represent: control characters other than tab, line feed and carriage return, U+FFFE,
 * U+FFFF, and lone surrogates. Text is checked on input, so that every stored value can be sent in JSON, XML and
 * headers.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters.
const unwritable = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/
const unwritableAnywhere = new RegExp(unwritable, 'g')

export type TextFault = 'too-long' | 'unwritable-character' | 'empty' | 'line-break'

export interface TextRules {
  maxLength: number
  /** The text must have a visible character, like names and identifiers. */
  isRequired?: boolean
  /** Matches characters forbidden in a text on one line, such as `lineBreak`; without it, line breaks are allowed. */
  notOnOneLine?: RegExp
}

/** Checks any text that a person or program enters: returns the first broken rule. */
export function textFault(value: string, rules: TextRules): TextFault | undefined {
  if (value.length > rules.maxLength) return 'too-long'
  if (!isWritableText(value)) return 'unwritable-character'
  if (rules.isRequired && !isVisible(value)) return 'empty'
  return rules.notOnOneLine?.test(value) ? 'line-break' : undefined
}

/** The fault as the rest of a sentence that begins with the name of the field. */
export function textFaultInWords(fault: TextFault, value: string, rules: TextRules): string {
  return {
    'too-long': `must have ${rules.maxLength} characters or fewer; it has ${value.length}`,
    'unwritable-character': 'contains a character that JSON or XML cannot represent',
    empty: 'must not be empty',
    'line-break': `must be on one line${rules.notOnOneLine?.test('\t') ? ', without tabs' : ''}`,
  }[fault]
}

export function isWritableText(value: string): boolean {
  return value.isWellFormed() && !unwritable.test(value)
}

/** Line and paragraph separators of any kind; names and phone numbers must not contain them. */
export const lineBreak = /[\n\r\u0085\u2028\u2029]/
export const lineBreakOrTab = /[\t\n\r\u0085\u2028\u2029]/

/** Replaces unwritable characters with U+FFFD. */
export function writableText(value: string): string {
  return isWritableText(value) ? value : value.toWellFormed().replaceAll(unwritableAnywhere, '\uFFFD')
}

/** Whether the text has a visible character, i.e. more than spaces and invisible marks. */
export function isVisible(value: string): boolean {
  return /[^\s\p{Cc}\p{Cf}\p{Z}\u115F\u1160\u3164\uFFA0]/u.test(value)
}
