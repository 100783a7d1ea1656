import type { ClientEventType, EventType, Stream } from '../model/events.ts'

/** Hints that streams have new events. A hint may be lost: it only makes a follower poll earlier. */
export interface ChangeHints {
  /** `types`: the types of the events that were written. */
  changed(stream: Stream, types?: readonly (EventType | ClientEventType)[]): void
}

declare module '../platform/database/tables.ts' {
  interface Database {
    /** Called after the commit of a change that wrote events: see src/events/feed/hints-adapter.ts. */
    hints?: ChangeHints
  }
}
