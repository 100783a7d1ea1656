import { isoTimeOf } from '../platform/core/time/iso-time.ts'

/**
 * Events about an advertiser, about the data that an OAuth client holds or about its agent, as sent to integrators: in
 * the feed and by webhooks, in the same words. No event contains personal data, so an erasure leaves the log unchanged.
 */
export const eventTypes = [
  'application.created',
  'application.imported',
  'application.erased',
  'application.withdrawn',
  'attachment.scanned',
  'prefill.completed',
  'agent.authorised',
  'agent.withdrawn',
  'webhook.failing',
  'webhook.stopped',
  'application.status-changed',
  'application.keep-changed',
] as const
export type EventType = (typeof eventTypes)[number]

/** Event types of an OAuth client's stream; the last two are about an endpoint of its agent. */
export const clientEventTypes = [
  'consent.withdrawn',
  'candidate.erased',
  'consent.narrowed',
  'webhook.failing',
  'webhook.stopped',
] as const
export type ClientEventType = (typeof clientEventTypes)[number]

/** The log of an advertiser or of an OAuth client. */
export type Stream = { advertiserId: number } | { clientId: string }

export const streamName = (stream: Stream): string =>
  'advertiserId' in stream ? `${stream.advertiserId}` : stream.clientId

/** The stream's name with its kind: unique among all streams. */
export const streamKey = (stream: Stream): string =>
  'advertiserId' in stream ? `a${stream.advertiserId}` : `c${stream.clientId}`

export const streamOfKey = (key: string): Stream =>
  key.startsWith('a') ? { advertiserId: Number(key.slice(1)) } : { clientId: key.slice(1) }

export interface StoredEvent {
  /** Time of the event in milliseconds, raised where needed to be unique and ascending in its stream. */
  number: number
  type: EventType | ClientEventType
  applicationId: number | null
  /** The rest of `data` as JSON, without braces; may be empty. */
  detail: string
}

/** Types are stored by their number, which never changes: new types are added at the end of their list. */
export const typeCode = (type: EventType): number => eventTypes.indexOf(type) + 1
export const clientTypeCode = (type: ClientEventType): number => clientEventTypes.indexOf(type) + 1
export const typeOfCode = (code: number): EventType => eventTypes[code - 1] as EventType
export const clientTypeOfCode = (code: number): ClientEventType =>
  clientEventTypes[code - 1] as ClientEventType

/** The rest of an event's data in its stored form. */
export const detailOf = (data: object): string => JSON.stringify(data).slice(1, -1)

export const eventId = (stream: Stream, number: number | ''): string => `evt_${streamName(stream)}_${number}`

/** Later events belong to another history than the one read so far, whose newest part may be gone. */
export function renderRestored(stream: Stream, restoredAt: number): string {
  const since = new Date(restoredAt).toISOString()
  return JSON.stringify({
    id: restoredId(stream, restoredAt),
    type: 'stream.restored',
    timestamp: since,
    data: { ...('advertiserId' in stream ? stream : {}), since },
  })
}

export const restoredId = (stream: Stream, restoredAt: number): string =>
  `evt_${streamName(stream)}_restored_${restoredAt}`

/** The bytes of an event: the same in a webhook as in the feed, which events/feed/json-page-store.ts renders. */
export function renderEvent(stream: Stream, { number, type, applicationId, detail }: StoredEvent): string {
  const owner = 'advertiserId' in stream ? `"advertiserId":${stream.advertiserId}` : ''
  const application = applicationId === null ? '' : `"applicationId":${applicationId}`
  const data = [owner, application, detail].filter(part => part !== '').join()
  return `{"id":"${eventId(stream, number)}","type":"${type}","timestamp":"${isoTimeOf(number)}","data":{${data}}}`
}
