import type { ClientEventType, EventType, StoredEvent } from '../../model/events.ts'

export interface EventQuery {
  /** Only events with a higher number. */
  after: number
  limit: number
  /** Undefined: all. */
  types?: readonly (EventType | ClientEventType)[] | undefined
  /** Adds the application of each event as version 1 shows it now. */
  includesApplications?: boolean
  /** Hides the authorisations and withdrawals of other agents. Undefined or null: shows all, as to the advertiser itself. */
  agentId?: number | null
}

export interface FeedEvent extends StoredEvent {
  /** In XML, as in the list, without its end. */
  application?: string
}

/** A page of events, and the state of their stream at that moment. */
export interface PageState {
  /** The number of its last event; undefined if it has none. */
  newest: number | undefined
  /** Whether more events of the wanted types follow. */
  hasMore: boolean
  /** The number of the last event of the stream, of any type. */
  last: number
  /** Events up to this number were removed. */
  from: number
  /** When the history changed last; 0: never. */
  restoredAt: number
}

export interface EventPage extends PageState {
  events: FeedEvent[]
}

/** Bytes before and after the events of a page, for its frame: a page may have a megabyte, and is not copied again. */
export const pageRoom = 512

export interface JsonPage extends PageState {
  /** The events as `renderEvent` has them, separated by commas, with `pageRoom` before and after. */
  json: Buffer
  /** The events that have their application with them. */
  withApplication: readonly { type: StoredEvent['type']; applicationId: number }[]
}

export interface NewestQuery {
  /** Only events with a lower number. */
  before?: number
  limit: number
  types?: readonly EventType[]
}
