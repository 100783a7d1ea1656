import type { EpochMs } from '../platform/core/clock.ts'
import { KnownParameters } from '../platform/core/input/url-encoded.ts'
import { Problem } from '../platform/core/problems.ts'
import { parseAestDateTime } from '../platform/core/time/ms-date.ts'

/** The parsed filters of a list call, not yet resolved against any data. */
export interface ListQuery {
  /** The text as sent, because the response echoes it. */
  afterId?: string
  beforeId?: string
  afterDate?: EpochMs
  beforeDate?: EpochMs
  includePrimaryInfo: boolean
  limit?: number
}

const known = new KnownParameters(['afterid', 'beforeid', 'afterdate', 'beforedate', 'include', 'limit'])
type Sent = ReturnType<typeof known.read>

/** The only parameter of the list that also applies to a single application. */
const knownOfOne = new KnownParameters(['include'])

export function readListQuery(search: string, maxLimit: number): ListQuery {
  const sent = known.read(search)
  const query: ListQuery = { includePrimaryInfo: false }

  const afterId = idParameter(sent, 'afterid')
  if (afterId !== undefined) query.afterId = afterId
  const beforeId = idParameter(sent, 'beforeid')
  if (beforeId !== undefined) query.beforeId = beforeId

  const afterDate = dateParameter(sent, 'afterdate')
  if (afterDate !== undefined) query.afterDate = afterDate
  const beforeDate = dateParameter(sent, 'beforedate')
  if (beforeDate !== undefined) query.beforeDate = beforeDate

  query.includePrimaryInfo = includesPrimaryInfo(sent)

  if (sent.limit) {
    const limit = /^0*[1-9]\d{0,8}$/.test(sent.limit) ? Number(sent.limit) : Number.POSITIVE_INFINITY
    if (limit > maxLimit) throw invalid('limit', `a number from 1 to ${maxLimit}`)
    query.limit = limit
  }
  return query
}

/** The query of a call for one application. */
export function readPrimaryInfoQuery(search: string): boolean {
  return includesPrimaryInfo(knownOfOne.read(search))
}

function includesPrimaryInfo(sent: Sent): boolean {
  return parameter(sent, 'include', /^primaryjobseekinginfo$/i, 'primaryjobseekinginfo') !== undefined
}

function idParameter(sent: Sent, name: keyof Sent): string | undefined {
  return parameter(sent, name, /^\d{1,19}$/, 'an application ID of 1 to 19 digits')
}

function parameter(sent: Sent, name: keyof Sent, form: RegExp, expected: string): string | undefined {
  const value = sent[name]
  if (!value) return undefined
  if (!form.test(value)) throw invalid(name, expected)
  return value
}

function dateParameter(sent: Sent, name: keyof Sent): EpochMs | undefined {
  const value = sent[name]
  if (!value) return undefined
  const at = parseAestDateTime(value)
  if (at === undefined) {
    throw invalid(
      name,
      'a valid date and time of the form YYYY-MM-DDTHH:MM:SS in Australian Eastern Standard Time',
    )
  }
  return at
}

function invalid(name: keyof Sent, expected: string): Problem {
  return new Problem('invalid-parameter', `The parameter ${name} must be ${expected}.`)
}

/**
 * The query of the next page: the same filters and limit, with `afterid` set to `lastId`. Values are repeated as sent,
 * which is safe because they have been validated: they contain only digits, dates and one fixed word.
 */
export function nextPageSearch(search: string, lastId: number): string {
  let next = ''
  for (const part of search.split('&')) {
    const [rawName = '', value = ''] = part.split('=', 2)
    const name = known.nameOf(rawName)
    if (value !== '' && name !== undefined && name !== 'afterid') {
      next += `${name}=${value}&`
    }
  }
  return `${next}afterid=${lastId}`
}

/** Exclusive bounds on IDs. */
export interface IdBounds {
  after: number
  before: number
}

/** Greater than every ID, because IDs are below 2^53. */
export const beyondAnyId = Number.MAX_SAFE_INTEGER

/** Compares IDs as numbers; a value greater than any ID counts as infinite. */
export function idBoundsOf(query: ListQuery): IdBounds {
  const bound = (text: string | undefined, absent: number) =>
    text === undefined ? absent : Math.min(Number(text), beyondAnyId)
  return { after: bound(query.afterId, 0), before: bound(query.beforeId, beyondAnyId) }
}
