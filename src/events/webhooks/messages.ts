import { eventId, renderEvent, renderRestored, restoredId, type StoredEvent } from '../../model/events.ts'
import type { HeldLane, LaneNotice, ListedLane } from './ports.ts'

/** The content of one webhook. The ID is the same in every attempt, so that receivers recognise repetitions. */
export interface Message {
  id: string
  body: string
}

export function eventMessage(advertiserId: number, event: StoredEvent): Message {
  const stream = { advertiserId }
  return { id: eventId(stream, event.number), body: renderEvent(stream, event) }
}

/**
 * An item that a lane sends: an event, or a message about the stream, which every endpoint gets whatever its types are.
 */
export interface LaneItem {
  /** Once the item is accepted, the lane has sent everything up to this number. */
  number: number
  after: number
  notice: LaneNotice | null
  message: Message
}

const eventItem = (advertiserId: number, event: StoredEvent): LaneItem => ({
  number: event.number,
  after: event.number - 1,
  notice: null,
  message: eventMessage(advertiserId, event),
})

const noticeItem = (advertiserId: number, notice: LaneNotice, after: number, number: number): LaneItem => ({
  number,
  after,
  notice,
  message: notice === 'gap' ? gapMessage(advertiserId, after, number) : restoredMessage(advertiserId, number),
})

/** Everything that a lane must send of a page, in order. */
export function laneItems(
  { advertiserId, kind, notice, sent, end, endpoint }: HeldLane,
  page: { events: readonly StoredEvent[]; from: number; restoredAt: number; upTo: number },
): LaneItem[] {
  if (notice !== null) return [noticeItem(advertiserId, notice, sent, end ?? sent)]
  const { from, restoredAt, upTo } = page
  const events = page.events.filter(event => !isAbout(event, endpoint.id))
  const isBehind = kind !== 'parked' && sent < from
  // Whether to send the restore notice; a gap notice that covers the restore makes it redundant.
  const isRestored = kind === 'live' && Math.max(sent, from) < restoredAt && restoredAt <= upTo
  const firstAfter = events.findIndex(({ number }) => number >= restoredAt)
  const items = events.map(event => eventItem(advertiserId, event))
  if (isRestored)
    items.splice(
      firstAfter < 0 ? items.length : firstAfter,
      0,
      noticeItem(advertiserId, 'restored', restoredAt - 1, restoredAt),
    )
  return isBehind ? [noticeItem(advertiserId, 'gap', sent, from), ...items] : items
}

/** The ID of a parked lane's event. */
export const deferredEventId = ({ advertiserId, notice, sent, end }: ListedLane): string =>
  notice === null
    ? eventId({ advertiserId }, end ?? 0)
    : noticeItem(advertiserId, notice, sent, end ?? 0).message.id

/** States that events between these two times are no longer kept and were never sent. */
export function gapMessage(advertiserId: number, after: number, upTo: number): Message {
  const id = `gap_${advertiserId}_${after}_${upTo}`
  const [from, to] = [after, upTo].map(each => new Date(each).toISOString())
  return { id, body: rendered(id, 'stream.gap', upTo, { advertiserId, from, to }) }
}

export function restoredMessage(advertiserId: number, restoredAt: number): Message {
  const stream = { advertiserId }
  return { id: restoredId(stream, restoredAt), body: renderRestored(stream, restoredAt) }
}

/** A manual test; it is not part of any stream. */
export function pingMessage(
  id: string,
  endpointId: string,
  advertiserId: number | null,
  now: number,
): Message {
  return { id: `ping_${id}`, body: rendered(`ping_${id}`, 'test.ping', now, { advertiserId, endpointId }) }
}

const rendered = (id: string, type: string, at: number, data: object) =>
  JSON.stringify({ id, type, timestamp: new Date(at).toISOString(), data })

/** Whether an event is about this endpoint, which does not receive reports of its own failures. */
export function isAbout({ type, detail }: StoredEvent, endpointId: string): boolean {
  return type.startsWith('webhook.') && detail.includes(`"endpointId":"${endpointId}"`)
}
