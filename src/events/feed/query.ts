import { KnownParameters } from '../../core/input/url-encoded.ts'
import { Problem } from '../../core/problems.ts'
import type { Limits } from '../../limits.ts'
import type { ClientEventType, EventType, Stream } from '../../model/events.ts'
import { readCursor, type SentCursor } from './cursor.ts'

export interface FeedQuery {
  /** `now`: after the last event; `start`: before the first one that is kept. */
  cursor: SentCursor | 'now' | 'start'
  limit: number
  waitMs: number
  /** Undefined: all. */
  types: (EventType | ClientEventType)[] | undefined
  includesApplications: boolean
}

export type FeedLimits = Pick<Limits, 'pageSize' | 'eventPageDefault' | 'eventWaitSeconds'>

const known = new KnownParameters(['cursor', 'limit', 'wait', 'types', 'include'])

export function readFeedQuery(
  stream: Stream,
  search: string,
  catalogue: readonly (EventType | ClientEventType)[],
  limits: FeedLimits,
): FeedQuery {
  const sent = known.read(search)
  return {
    cursor: cursorOf(stream, sent.cursor || 'now'),
    limit: numberOf('limit', sent.limit, 1, limits.pageSize) ?? limits.eventPageDefault,
    waitMs: (numberOf('wait', sent.wait, 0, limits.eventWaitSeconds) ?? 0) * 1000,
    types: sent.types ? typesOf(sent.types, catalogue) : undefined,
    includesApplications: 'advertiserId' in stream && includesApplications(sent.include),
  }
}

function cursorOf(stream: Stream, text: string): FeedQuery['cursor'] {
  if (text === 'now' || text === 'start') return text
  const cursor = readCursor(stream, text)
  if (cursor === undefined) throw new Problem('bad-cursor')
  return cursor
}

function numberOf(name: string, text: string | undefined, min: number, max: number): number | undefined {
  if (!text) return undefined
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw invalid(name, `a whole number from ${min} to ${max}`)
}

/** In the catalogue, but always told, so naming it changes nothing. */
const alwaysTold = 'stream.restored'

function typesOf(text: string, catalogue: readonly (EventType | ClientEventType)[]) {
  const names = text.split(',').map(name => name.trim())
  return names.flatMap(name => {
    if (name === alwaysTold) return []
    const type = catalogue.find(each => each === name)
    if (type === undefined)
      throw invalid('types', `one or more of ${catalogue.join(', ')}, separated by commas`)
    return type
  })
}

function includesApplications(text: string | undefined): boolean {
  if (!text) return false
  if (/^application$/i.test(text)) return true
  throw invalid('include', 'application')
}

const invalid = (name: string, expected: string) =>
  new Problem('invalid-parameter', `The parameter ${name} must be ${expected}.`)
