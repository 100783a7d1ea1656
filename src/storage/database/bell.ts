import type { ClientEventType, EventType, Stream } from '../../model/events.ts'

/** Hints that streams have new events. A hint may be lost: it only makes a follower look earlier. */
export interface ChangeHints {
  /** `types`: of the events that were written. */
  changed(stream: Stream, types?: readonly (EventType | ClientEventType)[]): void
}

/** Tells processes of each other's changes by way of the database. */
export interface Bell {
  /** Calls the listener from now on with streams that changed, or with undefined if it is unknown which. */
  attend(onHeard: (streams: readonly Stream[] | undefined) => void): void
  /** Nothing is heard until the next `attend`. */
  rest(): void
  /** Whether changes are heard at present, as far as that is known. */
  isHeard(): boolean
  /** PostgreSQL only: on SQLite every process notices a commit by itself. */
  ring?(streams: readonly Stream[]): Promise<void>
  /** PostgreSQL only: false if there is no address to listen on; rejects if nothing arrives. */
  prove?(): Promise<boolean>
  close(): void
}
