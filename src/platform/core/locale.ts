/**
 * How the board writes dates and numbers. One per process: formats are created where they are used, in functions that
 * have no access to settings.
 */
export const usualLocale = 'en-AU'

let locale = usualLocale
const dates = new Map<string, Intl.DateTimeFormat>()
const numbers = new Map<number, Intl.NumberFormat>()

/** Called when the service opens, before the first page or email. */
export function setBoardLocale(tag: string): void {
  locale = tag
  dates.clear()
  numbers.clear()
}

/** Also the language declared by pages and emails. */
export const boardLocale = (): string => locale

/** The tag in Intl's spelling; undefined if Node has no data for it. */
export function readLocale(text: string): string | undefined {
  try {
    const [tag] = Intl.getCanonicalLocales(text)
    return tag === undefined ? undefined : Intl.DateTimeFormat.supportedLocalesOf(tag)[0]
  } catch {
    // Not a language tag.
    return undefined
  }
}

/** Cached: creating a format costs more than using it a hundred times. */
export function dateText(at: number, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify(options)
  const form = dates.get(key) ?? new Intl.DateTimeFormat(locale, options)
  dates.set(key, form)
  return form.format(at)
}

/** Formats a day, `2026-11-14`, or the day of a moment in UTC. */
export function dayText(day: string | number, dateStyle: 'full' | 'long' | 'medium' = 'long'): string {
  return dateText(typeof day === 'number' ? day : Date.parse(day), { dateStyle, timeZone: 'UTC' })
}

/** `12,345` */
export function numberText(value: number, maximumFractionDigits = 3): string {
  const form = numbers.get(maximumFractionDigits) ?? new Intl.NumberFormat(locale, { maximumFractionDigits })
  numbers.set(maximumFractionDigits, form)
  return form.format(value)
}
