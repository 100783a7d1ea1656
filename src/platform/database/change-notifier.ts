/** Tells processes of each other's changes, by names of streams, by way of the database. */
export interface ChangeNotifier {
  /** Calls the listener from now on with streams that changed, or with undefined if it is unknown which. */
  attend(onHeard: (streams: readonly string[] | undefined) => void): void
  /** Nothing is heard until the next `attend`. */
  rest(): void
  /** Whether changes are heard at present, as far as that is known. */
  isHeard(): boolean
  /** PostgreSQL only: on SQLite every process notices a commit by itself. */
  ring?(streams: readonly string[]): Promise<void>
  /** PostgreSQL only: false if there is no address to listen on; rejects if nothing arrives. */
  prove?(): Promise<boolean>
  close(): void
}
