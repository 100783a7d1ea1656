import { countries, findChoice } from './reference-lists.ts'

/** What stands in a profile for programs, as people say it. */

const months = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const amounts = new Intl.NumberFormat('en-AU')

/** A code that is on the list no more is shown as it is. */
export function countryInWords(code: string): string {
  return findChoice(countries, code)?.description ?? code
}

/** "2025-03" is "March 2025". */
export function monthInWords(month: string): string {
  const start = Date.parse(`${month}-01T00:00:00Z`)
  return Number.isNaN(start) ? month : months.format(start)
}

export function periodInWords(from: string, to: string | null): string {
  return `${monthInWords(from)} to ${to === null ? 'now' : monthInWords(to)}`
}

const perUnit: Record<string, string> = {
  Annual: 'a year',
  Monthly: 'a month',
  Daily: 'a day',
  Hourly: 'an hour',
}

/** Whoever does not want to say has 0 there. */
export function salaryInWords(least: number, type: string | null): string {
  if (least === 0) return 'no lowest salary given'
  const per = type === null ? '' : ` ${perUnit[type] ?? `(${type})`}`
  return `at least ${amounts.format(least)}${per}`
}

/** That there is none is more than was said: the box may have been left alone. */
export function rightToWorkInWords(hasWorkingVisa: boolean): string {
  return hasWorkingVisa ? 'allowed to work there' : 'no right to work there given'
}
