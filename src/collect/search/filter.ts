import { type ApplicationStatus, statuses } from '../../model/application-status.ts'
import { isCalendarDay } from '../../model/job-ad.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { mailboxOf, storedSpellings } from '../../platform/core/email.ts'
import { parseNumericId } from '../../platform/core/ids.ts'
import { searchForm } from '../../platform/core/search-form.ts'
import { dayAfter, startOfDay } from '../../platform/core/time/time-zone.ts'

/** Limit: A name, an address or a reference to search for. */
export const searchTextLength = 200

/** Narrows down an advertiser's applications; all conditions must hold. */
export interface ApplicationFilter {
  /** The beginning of a name, an email address or a reference, in the form of src/platform/core/search-form.ts; empty for any. */
  prefix: string
  /** Other spellings of a typed email address, in the same form. */
  otherPrefixes?: readonly string[]
  /** Set if the prefix could be an ID: the application with this ID also matches. */
  applicationId?: number
  jobAdId?: number
  /** `from` is inclusive, `until` exclusive. */
  from?: EpochMs
  until?: EpochMs
  isQuestionnairePassed?: boolean
  hasVirus: boolean
  /** The application has one of these statuses. */
  statuses?: readonly ApplicationStatus[]
  /** The application never had a status other than `unansweredStatuses`, and was not erased. */
  isUnanswered?: boolean
  /** New applications come before all others. */
  unreadFirst?: boolean
}

/** Whether the filter's applications, in its order, are not just one range of IDs. */
export function picksSome({ from, until, ...traits }: ApplicationFilter): boolean {
  return Object.values(traits).some(trait => trait !== undefined && trait !== '' && trait !== false)
}

export const filterNames = [
  'q',
  'ad',
  'status',
  'from',
  'to',
  'screen',
  'virus',
  'unanswered',
  'order',
] as const
export type FilterName = (typeof filterNames)[number]

/** The filter as typed, or as it appears in a link. */
export type TypedFilter = Record<FilterName, string>

export type FilterFault = 'too-long' | 'no-ad' | 'no-day' | 'crossed' | 'no-choice'

export interface ReadFilter {
  typed: TypedFilter
  /** The filter without its invalid conditions. */
  filter: ApplicationFilter
  faults: Partial<Record<FilterName, FilterFault>>
}

/**
 * Reads the filter; days are in the advertiser's time zone. Only applications sent before `answerDueBefore` count as
 * unanswered. An invalid condition is reported at its field and ignored.
 */
export function readFilter(
  get: (name: FilterName) => string | undefined,
  { timeZone, answerDueBefore }: { timeZone: string; answerDueBefore: EpochMs },
): ReadFilter {
  const typed = Object.fromEntries(filterNames.map(name => [name, get(name)?.trim() ?? ''])) as TypedFilter
  const faults: ReadFilter['faults'] = {}
  const filter: ApplicationFilter = { prefix: '', hasVirus: false }

  if (typed.q.length > searchTextLength) faults.q = 'too-long'
  else {
    filter.prefix = searchForm(typed.q)
    const others = otherSpellings(typed.q, filter.prefix)
    if (others.length > 0) filter.otherPrefixes = others
  }
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
    filter.isQuestionnairePassed = typed.screen === 'passed'
  else if (typed.screen !== '') faults.screen = 'no-choice'

  const status = statuses.find(each => each === typed.status)
  if (status !== undefined) filter.statuses = [status]
  else if (typed.status !== '') faults.status = 'no-choice'

  if (typed.order === 'unread') filter.unreadFirst = true
  else if (typed.order !== '') faults.order = 'no-choice'

  if (typed.unanswered === 'yes') {
    filter.isUnanswered = true
    filter.until = Math.min(filter.until ?? answerDueBefore, answerDueBefore)
  } else if (typed.unanswered !== '') faults.unanswered = 'no-choice'

  if (typed.virus === 'yes') filter.hasVirus = true
  else if (typed.virus !== '') faults.virus = 'no-choice'
  return { typed, filter, faults }
}

/** Only spellings that do not begin with another one, which finds the same applications. */
function otherSpellings(typed: string, prefix: string): string[] {
  if (!typed.includes('@')) return []
  const spellings = [...new Set([prefix, ...storedSpellings(mailboxOf(typed)).map(searchForm)])]
  const shortest = spellings.filter(
    each => !spellings.some(other => other !== each && each.startsWith(other)),
  )
  return shortest.filter(each => each !== prefix)
}

/** The filter as a query string, with the values in `changed` replaced. */
export function filterSearch(
  typed: TypedFilter,
  changed: Partial<Record<FilterName | PositionName, string>> = {},
): string {
  const search = new URLSearchParams(
    Object.entries({ ...typed, ...changed }).filter(([, value]) => value !== ''),
  ).toString()
  return search === '' ? '' : `?${search}`
}

/** The filter as a query string, without the invalid conditions that were ignored. */
export function usedSearch({ typed, faults }: ReadFilter): string {
  return filterSearch(typed, Object.fromEntries(Object.keys(faults).map(name => [name, ''])))
}

/**
 * Where a page begins in the list, newest first; undefined for the first page. With unread applications first, `read`
 * is where it begins among the others.
 */
export type Position = { before: number } | { after: number } | { read: number } | undefined

const positionNames = ['before', 'after', 'read'] as const
export type PositionName = (typeof positionNames)[number]

export function readPosition(get: (name: PositionName) => string | undefined): Position {
  const [first] = positionNames.flatMap(name => {
    const id = parseNumericId(get(name) ?? '')
    return id === undefined ? [] : [{ [name]: id } as unknown as Exclude<Position, undefined>]
  })
  return first
}

/** The smallest text greater than every text with this prefix, in code point order; undefined if there is none. */
export function afterPrefix(prefix: string): string | undefined {
  const points = [...prefix].map(character => character.codePointAt(0) as number)
  while (points.at(-1) === 0x10ffff) points.pop()
  const last = points.pop()
  if (last === undefined) return undefined
  // Skip the surrogates, which are not characters.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
}
