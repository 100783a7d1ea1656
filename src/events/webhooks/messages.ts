import { eventId, renderEvent, renderRestored, restoredId, type StoredEvent } from '../../model/events.ts'

/** The content of one webhook. The ID is the same at every attempt, so that receivers recognise repetitions. */
export interface Message {
  id: string
  body: string
}

export function eventMessage(advertiserId: number, event: StoredEvent): Message {
  const stream = { advertiserId }
  return { id: eventId(stream, event.number), body: renderEvent(stream, event) }
}

/** Says that events between these two times are no longer kept, and were never sent. */
export function gapMessage(advertiserId: number, after: number, upTo: number): Message {
  const id = `gap_${advertiserId}_${after}_${upTo}`
  const [from, to] = [after, upTo].map(each => new Date(each).toISOString())
  return { id, body: rendered(id, 'stream.gap', upTo, { advertiserId, from, to }) }
}

export function restoredMessage(advertiserId: number, restoredAt: number): Message {
  const stream = { advertiserId }
  return { id: restoredId(stream, restoredAt), body: renderRestored(stream, restoredAt) }
}

/** A test by hand; it is not part of any stream. */
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

/** Whether an event is about this endpoint, which is not told of its own failures. */
export function isAbout({ type, detail }: StoredEvent, endpointId: string): boolean {
  return type.startsWith('webhook.') && detail.includes(`"endpointId":"${endpointId}"`)
}
