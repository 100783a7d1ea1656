/** A file of which any part can be looked at, without the rest of it in memory. */
export interface RandomReader {
  readonly size: number
  /** Fewer bytes than asked for only where the file ends. */
  read(start: number, length: number): Promise<Uint8Array>
}
