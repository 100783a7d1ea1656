import type { EpochMs } from '../../core/clock.ts'
import { parseNumericId } from '../../core/ids.ts'
import { searchForm } from '../../core/search-form.ts'
import { dayAfter, startOfDay } from '../../core/time-zone.ts'
import { isCalendarDay } from '../../model/job-ad.ts'

/** What an advertiser narrows its applications down by. All of it holds at once. */
export interface ApplicationFilter {
  /** What a name, an address or a reference begins with, in the form of src/core/search-form.ts; empty for any. */
  prefix: string
  /** Beside a prefix that may be one: the application of this ID is found as well. */
  applicationId?: number
  jobAdId?: number
  /** The first moment, and the first that is too late. */
  from?: EpochMs
  until?: EpochMs
  isScreenPassed?: boolean
  hasVirus: boolean
}

export const filterNames = ['q', 'ad', 'from', 'to', 'screen', 'virus'] as const
export type FilterName = (typeof filterNames)[number]

/** As it was typed, or stands in a link. */
export type TypedFilter = Record<FilterName, string>

export type FilterFault = 'too-long' | 'no-ad' | 'no-day' | 'crossed' | 'no-choice'

export interface ReadFilter {
  typed: TypedFilter
  /** Without what is wrong. */
  filter: ApplicationFilter
  faults: Partial<Record<FilterName, FilterFault>>
}

/** Days are those of the advertiser. What cannot be read is told at its field, and narrows nothing down. */
export function readFilter(
  get: (name: FilterName) => string | undefined,
  { searchTextLength, timeZone }: { searchTextLength: number; timeZone: string },
): ReadFilter {
  const typed = Object.fromEntries(filterNames.map(name => [name, get(name)?.trim() ?? ''])) as TypedFilter
  const faults: ReadFilter['faults'] = {}
  const filter: ApplicationFilter = { prefix: '', hasVirus: false }

  if (typed.q.length > searchTextLength) faults.q = 'too-long'
  else filter.prefix = searchForm(typed.q)
  const applicationId = parseNumericId(typed.q)
  if (applicationId !== undefined) filter.applicationId = applicationId

  const jobAdId = parseNumericId(typed.ad)
  if (jobAdId !== undefined) filter.jobAdId = jobAdId
  else if (typed.ad !== '') faults.ad = 'no-ad'

  const [hasFrom, hasTo] = [isCalendarDay(typed.from), isCalendarDay(typed.to)]
  if (hasFrom) filter.from = startOfDay(typed.from, timeZone)
  else if (typed.from !== '') faults.from = 'no-day'
  if (hasFrom && hasTo && typed.to < typed.from) faults.to = 'crossed'
  else if (hasTo) filter.until = startOfDay(dayAfter(typed.to), timeZone)
  else if (typed.to !== '') faults.to = 'no-day'

  if (typed.screen === 'passed' || typed.screen === 'failed')
    filter.isScreenPassed = typed.screen === 'passed'
  else if (typed.screen !== '') faults.screen = 'no-choice'

  if (typed.virus === 'yes') filter.hasVirus = true
  else if (typed.virus !== '') faults.virus = 'no-choice'
  return { typed, filter, faults }
}

/** The same filter for a link, with `changed` in place of what it had. */
export function filterSearch(
  typed: TypedFilter,
  changed: Partial<Record<FilterName | 'before' | 'after', string>> = {},
): string {
  const search = new URLSearchParams(
    Object.entries({ ...typed, ...changed }).filter(([, value]) => value !== ''),
  ).toString()
  return search === '' ? '' : `?${search}`
}

/** The same filter for a link to what it finds: without what is wrong, and so was not used. */
export function usedSearch({ typed, faults }: ReadFilter): string {
  return filterSearch(typed, Object.fromEntries(Object.keys(faults).map(name => [name, ''])))
}

/** Where in the list a page begins, from the newest; undefined for the newest itself. */
export type Position = { before: number } | { after: number } | undefined

export function readPosition(get: (name: 'before' | 'after') => string | undefined): Position {
  const before = parseNumericId(get('before') ?? '')
  if (before !== undefined) return { before }
  const after = parseNumericId(get('after') ?? '')
  return after === undefined ? undefined : { after }
}

/** The least text above all that begin with this one, in the order of code points; undefined when there is none. */
export function afterPrefix(prefix: string): string | undefined {
  const points = [...prefix].map(character => character.codePointAt(0) as number)
  while (points.at(-1) === 0x10ffff) points.pop()
  const last = points.pop()
  if (last === undefined) return undefined
  // Between the two halves of the plane are the surrogates, which are no characters.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
}
