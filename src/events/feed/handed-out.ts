import type { FeedQuery } from './query.ts'
import type { AnsweredEvent } from './rendering.ts'

export interface IdRange {
  firstId: number
  lastId: number
}

/**
 * The applications that were handed out with these events, as ranges of IDs of the advertiser. Each application has one
 * event of these two types, in the order of the IDs: so a page that hides neither type has every one from its first to
 * its last.
 */
export function handedOut(events: readonly AnsweredEvent[], types: FeedQuery['types']): IdRange[] {
  const arrivals: readonly string[] = ['application.created', 'application.imported']
  const isWhole = types === undefined || arrivals.every(type => types.some(each => each === type))
  const arrived: number[] = []
  const ranges: IdRange[] = []
  for (const event of events) {
    if (!('application' in event) || event.applicationId === null) continue
    const id = event.applicationId
    if (isWhole && arrivals.includes(event.type)) arrived.push(id)
    else ranges.push({ firstId: id, lastId: id })
  }
  const [firstId] = arrived
  const lastId = arrived.at(-1)
  return firstId === undefined || lastId === undefined ? ranges : [{ firstId, lastId }, ...ranges]
}
