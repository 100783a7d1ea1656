import type { StoredBlob } from './ports.ts'

/** The way of files from a folder to the store that has taken its place. */
export interface BlobMove {
  /** Whoever moves files out of this folder has it to himself until he lets go, or dies. Undefined while another one does. */
  lock(): Promise<(() => void) | undefined>
  /** How many blobs the folder holds. */
  count(): Promise<number>
  /** Every blob in the folder, in lists of any length. */
  names(): AsyncIterable<string[]>
  /**
   * Puts the same bytes into the store under the same name; returns when they are safe there. `gone` when the folder
   * does not have it (any more), `damaged` when the bytes in the folder are not those that were uploaded and the store
   * does not have the right ones already: then it gets nothing. Rejects when the store does not take it, or cannot be
   * asked.
   */
  copy(file: StoredBlob): Promise<'copied' | 'gone' | 'damaged'>
  /** Out of the folder. */
  removeOriginal(blob: string): Promise<void>
  /** Out of the store. */
  removeCopy(blob: string): Promise<void>
  /** Removes the folders that have become empty. */
  tidy(): Promise<void>
  /** Writes down, so that it survives this process, which blobs are about to be copied. Returns the way to strike it off. */
  note(blobs: readonly string[]): Promise<() => Promise<void>>
  /** Notes that were never struck off: whoever wrote them has died. */
  leftNotes(): Promise<{ blobs: string[]; strike(): Promise<void> }[]>
}
