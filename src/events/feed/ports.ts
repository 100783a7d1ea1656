import type { ClientEventType, EventType, StoredEvent, Stream } from '../../model/events.ts'
import type { Format } from '../../model/v1/rendering.ts'

export interface EventQuery {
  /** Only events with a higher number. */
  after: number
  limit: number
  /** Undefined: all. */
  types?: readonly (EventType | ClientEventType)[] | undefined
  /** Adds the application of each event as version 1 shows it now, in this format. */
  include?: Format | undefined
}

export interface FeedEvent extends StoredEvent {
  /** Rendered as in the list. */
  application?: string
}

export interface EventPage {
  events: FeedEvent[]
  /** The number of the last event of the stream at that moment, of any type. */
  last: number
  /** Events up to this number were removed. */
  from: number
  /** When the history changed last; 0: never. */
  restoredAt: number
}

export interface NewestQuery {
  /** Only events with a lower number. */
  before?: number
  limit: number
  types?: readonly EventType[]
}

export interface EventStore {
  /**
   * In one statement, so `last` is never ahead of the page. A stream without any event is empty. With `number` the page
   * ends there: it is the number of the last event when the caller was checked, and a replica that has it may answer.
   */
  page(stream: Stream, query: EventQuery, number?: number): Promise<EventPage>
  /** Newest first, for people. */
  newest(advertiserId: number, query: NewestQuery): Promise<StoredEvent[]>
  /** The numbers of the last events of these streams, in this order; 0 if there is none. */
  lastOf(streams: readonly Stream[]): Promise<number[]>
}

/** Wakes requests that wait for events. */
export interface Waiting {
  /**
   * Resolves when the stream may have an event above `number`, when the time is over, or when the process begins to end.
   * `sinceMs`: hints from then on count, on the clock of `performance`.
   */
  wait(
    stream: Stream,
    number: number,
    options: { ms: number; sinceMs: number; signal: AbortSignal },
  ): Promise<void>
  /** How many wait. */
  count(): number
  /** True once the process is ending: nothing waits from then on. */
  isClosed(): boolean
}
