import type { ClientEventType, EventType, Stream } from '../../model/events.ts'
import { BoardProblem } from '../../model/problems.ts'
import { maxPageSize } from '../../platform/core/input/page-parameters.ts'
import { KnownParameters } from '../../platform/core/input/url-encoded.ts'
import { Problem } from '../../platform/core/problems.ts'
import { readCursor, type SentCursor } from './cursor.ts'

/** Limit: Events on a page of the feed, unless `limit` says otherwise. */
export const eventPageDefault = 100
/**
 * Limit: The longest time that a request may wait for events. Proxies cut a silent connection after 60 seconds, and
 * so do we.
 */
export const eventWaitSeconds = 50

export interface FeedQuery {
  /** `now`: after the last event; `start`: before the first event still kept. */
  cursor: SentCursor | 'now' | 'start'
  limit: number
  waitMs: number
  /** Undefined: all types. */
  types: (EventType | ClientEventType)[] | undefined
  includesApplications: boolean
  includesAnswers: boolean
  /** The agent that makes the request; null: the advertiser itself, or an OAuth client. */
  agentId: number | null
}

const known = new KnownParameters(['cursor', 'limit', 'wait', 'types', 'include'])

export function readFeedQuery(
  stream: Stream,
  search: string,
  catalogue: readonly (EventType | ClientEventType)[],
  agentId: number | null = null,
): FeedQuery {
  const sent = known.read(search)
  const included = 'advertiserId' in stream ? includedIn(sent.include) : []
  return {
    cursor: cursorOf(stream, sent.cursor || 'now'),
    limit: numberOf('limit', sent.limit, 1, maxPageSize) ?? eventPageDefault,
    waitMs: (numberOf('wait', sent.wait, 0, eventWaitSeconds) ?? 0) * 1000,
    types: sent.types ? typesOf(sent.types, catalogue) : undefined,
    includesApplications: included.includes('application'),
    includesAnswers: included.includes('answers'),
    agentId,
  }
}

function cursorOf(stream: Stream, text: string): FeedQuery['cursor'] {
  if (text === 'now' || text === 'start') return text
  const cursor = readCursor(stream, text)
  if (cursor === undefined) throw new BoardProblem('bad-cursor')
  return cursor
}

function numberOf(name: string, text: string | undefined, min: number, max: number): number | undefined {
  if (!text) return undefined
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw invalid(name, `a whole number from ${min} to ${max}`)
}

/** In the catalogue, but always sent, so naming it changes nothing. */
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

function includedIn(text: string | undefined): string[] {
  const names = text ? text.toLowerCase().split(',') : []
  if (names.every(name => name === 'application' || name === 'answers')) return names
  throw invalid('include', 'application, answers, or both, separated by a comma')
}

const invalid = (name: string, expected: string) =>
  new Problem('invalid-parameter', `The parameter ${name} must be ${expected}.`)
