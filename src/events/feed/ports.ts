import type { ClientEventType, EventType, StoredEvent, Stream } from '../../model/events.ts'

export interface EventQuery {
  /** Only events with a higher number. */
  after: number
  limit: number
  /** Undefined: all. */
  types?: readonly (EventType | ClientEventType)[] | undefined
  /** Adds the application of each event as version 1 shows it now. */
  includesApplications?: boolean
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

export interface EventStore {
  /**
   * In one statement, so `last` is never ahead of the page. A stream without any event is empty. With `number` the page
   * ends there: it is the number of the last event when the caller was checked, and a replica that has it may answer.
   */
  page(stream: Stream, query: EventQuery, number?: number): Promise<EventPage>
  /** The same of an advertiser as JSON, in a fraction of the time. */
  jsonPage(advertiserId: number, query: EventQuery, number?: number): Promise<JsonPage>
  /** Newest first, for people. */
  newest(advertiserId: number, query: NewestQuery): Promise<StoredEvent[]>
  /** The numbers of the last events of these streams, in this order; 0 if there is none. */
  lastOf(streams: readonly Stream[]): Promise<number[]>
}

/**
 * A request that waits for events: one object, and neither a promise nor a suspended function. Thousands wait, and the garbage
 * collector visits every object of each again and again.
 */
export interface Waiter {
  readonly stream: Stream
  /** It has seen the events up to this number. */
  readonly number: number
  /** When it is woken at the latest, and since when hints count, on the clock of `performance`. */
  readonly untilMs: number
  readonly sinceMs: number
  /** Called once for each wait, outside of every act; must not wait again before it returns. */
  onWake(): void
}

export interface Waiting {
  /** Wakes it when the stream may have an event above `number`, at `untilMs`, or when the process begins to end. */
  wait(waiter: Waiter): void
  /** Wakes it now if it waits: its caller has left. */
  wake(waiter: Waiter): void
  /** How many wait. */
  count(): number
  /** True once the process is ending: nothing waits from then on. */
  isClosed(): boolean
}
