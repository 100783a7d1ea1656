import type { StoredBlob } from './ports.ts'

/** Moves files from a folder to the store that replaces it. */
export interface BlobMove {
  /** Locks the folder until the lock is released or the process ends. Undefined if another process holds the lock. */
  lock(): Promise<(() => void) | undefined>
  /** The number of blobs in the folder. */
  count(): Promise<number>
  /** Every blob in the folder, in batches of any size. */
  names(): AsyncIterable<string[]>
  /**
   * Copies the bytes to the store under the same name; returns once they are durable there. Returns `gone` if the folder
   * does not have the blob, and `damaged` if the bytes in the folder are not those that were uploaded and the store does
   * not have the right ones either; then nothing is copied. Rejects if the store is unavailable or rejects the blob.
   */
  copy(file: StoredBlob): Promise<'copied' | 'gone' | 'damaged'>
  /** Removes the blob from the folder. */
  removeOriginal(blob: string): Promise<void>
  /** Removes the blob from the store. */
  removeCopy(blob: string): Promise<void>
  /** Removes folders that have become empty. */
  tidy(): Promise<void>
  /** Durably records which blobs are about to be copied. Returns a function that deletes the note. */
  note(blobs: readonly string[]): Promise<() => Promise<void>>
  /** Notes that were never deleted, because the process that wrote them has ended. */
  leftNotes(): Promise<{ blobs: string[]; strike(): Promise<void> }[]>
}
