/**
 * An email before rendering: the text and the HTML come from this one source. Names come from other people, so they are
 * wrapped by `name`.
 */
export interface EmailMessage {
  subject: string
  blocks: readonly Block[]
}

export type Block =
  /** A paragraph. */
  | string
  /** The one action of the email. The text form puts the URL on its own line. */
  | { button: string; url: string }
  | { facts: readonly Fact[] }

export type Fact = readonly [label: string, value: string]

/** First strong isolate and its end: the text between them does not reorder the words around it. */
export const isolates = ['\u2068', '\u2069'] as const

const maxOfName = 120

/** Renders another person's name on one line, without control characters, and cut so that it cannot push our words away. */
export function name(text: string): string {
  const line = text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .trim()
  const cut = line.length > maxOfName ? `${line.slice(0, maxOfName - 1).toWellFormed()}…` : line
  return `${isolates[0]}${cut}${isolates[1]}`
}
