import { dateText, numberText } from '../platform/core/locale.ts'
import { countries, findChoice } from './reference-lists.ts'

/** Returns the code itself if it is no longer on the list. */
export function countryInWords(code: string): string {
  return findChoice(countries(), code)?.description ?? code
}

/** Turns "2025-03" into "March 2025". */
export function monthInWords(month: string): string {
  const start = Date.parse(`${month}-01T00:00:00Z`)
  return Number.isNaN(start) ? month : dateText(start, { month: 'long', year: 'numeric', timeZone: 'UTC' })
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

/** 0 means that the candidate prefers not to say. */
export function salaryInWords(min: number, type: string | null): string {
  if (min === 0) return 'no minimum salary given'
  const per = type === null ? '' : ` ${perUnit[type] ?? `(${type})`}`
  return `at least ${numberText(min)}${per}`
}

/** An unticked box does not mean that the candidate has no right to work, so the text does not claim that. */
export function rightToWorkInWords(hasWorkingVisa: boolean): string {
  return hasWorkingVisa ? 'has the right to work there' : 'right to work not given'
}
