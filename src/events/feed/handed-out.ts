import type { StoredEvent } from '../../model/events.ts'
import type { FeedQuery } from './query.ts'

export interface IdRange {
  firstId: number
  lastId: number
}

/**
 * The applications of these events, with which they were handed out, as ranges of IDs of the advertiser. Each application has one
 * event of these two types, in the order of the IDs: so a page that hides neither type has every one from its first to
 * its last.
 */
export function handedOut(
  events: readonly Pick<StoredEvent, 'type' | 'applicationId'>[],
  types: FeedQuery['types'],
): IdRange[] {
  const arrivals: readonly string[] = ['application.created', 'application.imported']
  const isWhole = types === undefined || arrivals.every(type => types.some(each => each === type))
  const arrived: number[] = []
  const ranges: IdRange[] = []
  for (const { type, applicationId: id } of events) {
    if (id === null) continue
    if (isWhole && arrivals.includes(type)) arrived.push(id)
    else ranges.push({ firstId: id, lastId: id })
  }
  const [firstId] = arrived
  const lastId = arrived.at(-1)
  return firstId === undefined || lastId === undefined ? ranges : [{ firstId, lastId }, ...ranges]
}
