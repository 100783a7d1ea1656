/** Notifies processes of each other's changes through the database, by the names of the changed streams. */
export interface ChangeNotifier {
  /**
   * From now on, calls the listener with the changed streams, or with undefined if it is unknown which have changed.
   */
  attend(onHeard: (streams: readonly string[] | undefined) => void): void
  /** Stops listening until the next `attend`. */
  rest(): void
  /** Whether notifications currently arrive, as far as is known. */
  isHeard(): boolean
  /** PostgreSQL only: on SQLite every process detects commits itself. */
  ring?(streams: readonly string[]): Promise<void>
  /** PostgreSQL only: false if there is no address to listen on; rejects if nothing arrives. */
  prove?(): Promise<boolean>
  close(): void
}
