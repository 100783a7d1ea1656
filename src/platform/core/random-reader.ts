/** Random access to a file without loading it into memory. */
export interface RandomReader {
  readonly size: number
  /** Returns fewer bytes than requested only at the end of the file. */
  read(start: number, length: number): Promise<Uint8Array>
}
