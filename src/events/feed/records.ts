import type { ClientEventType, EventType, StoredEvent } from '../../model/events.ts'

export interface EventQuery {
  /** Only events with a higher number. */
  after: number
  limit: number
  /** Undefined: all types. */
  types?: readonly (EventType | ClientEventType)[] | undefined
  /** Includes the current version 1 rendering of each event's application. */
  includesApplications?: boolean
  /**
   * Hides the authorisations and withdrawals of other agents. Undefined or null shows all, as the advertiser itself
   * sees them.
   */
  agentId?: number | null
}

export interface FeedEvent extends StoredEvent {
  /** In XML, as in the list, without its end. */
  application?: string
}

/** A page of events, and the state of their stream at that moment. */
export interface PageState {
  /** Number of the page's last event; undefined if it has none. */
  newest: number | undefined
  /** Whether more events of the requested types follow. */
  hasMore: boolean
  /** Number of the last event of the stream, of any type. */
  last: number
  /** Events up to this number were removed. */
  from: number
  /** When the history last changed; 0: never. */
  restoredAt: number
}

export interface EventPage extends PageState {
  events: FeedEvent[]
}

/**
 * Bytes reserved before and after the events of a page for its frame: a page may have a megabyte, and is not copied
 * again.
 */
export const pageRoom = 512

export interface JsonPage extends PageState {
  /** The events in the form of `renderEvent`, separated by commas, with `pageRoom` before and after. */
  json: Buffer
  /** The events that include their application. */
  withApplication: readonly { type: StoredEvent['type']; applicationId: number }[]
}

export interface NewestQuery {
  /** Only events with a lower number. */
  before?: number
  limit: number
  types?: readonly EventType[]
}
