import type { EpochMs } from '../core/clock.ts'
import type { RandomReader } from '../core/random-reader.ts'
import type { ReceivedFile } from './received-file.ts'
import type { ScanState } from './scan-state.ts'

export interface StoredBlob {
  /** Its name in the store, made for this one upload and never used again. */
  blob: string
  sha256: string
  size: number
}

/** A file as a row describes it; `blob` is null when its content was discarded. */
export interface KeptFile {
  blob: string | null
  size: number
}

/** First and last byte, both included. */
export interface ByteRange {
  start: number
  end: number
}

/** Uploaded bytes, each under a name of its own. */
export interface BlobStore {
  /**
   * Returns only when the bytes are safe on disk. `check` sees the complete content before that; when it
   * rejects, or the content breaks off, nothing is left behind.
   */
  put(content: AsyncIterable<Uint8Array>, check?: (file: RandomReader) => Promise<void>): Promise<StoredBlob>
  /** Rejects before the first byte when the blob is missing or not of this size. */
  open(file: KeptFile, range?: ByteRange): Promise<NodeJS.ReadableStream>
  /** Hands over the whole content to be looked at in any order. Rejects like `open`. */
  examine<T>(file: KeptFile, look: (content: RandomReader) => Promise<T>): Promise<T>
  /** Harmless when there is no such blob. */
  remove(blob: string): Promise<void>
  /** The days (YYYYMMDD, UTC) on which something was uploaded, oldest first. */
  days(): Promise<string[]>
  /** Every blob that was uploaded on this day, half uploads included, in batches. */
  uploadedOn(day: string): AsyncIterable<string[]>
  /** Forgets the folders of a day, as far as they are empty. */
  tidyDay(day: string): Promise<void>
  /** Rejects, with what is wrong, when the store cannot be written. */
  check(): Promise<void>
}

/** `clean` and `infected` are verdicts; `unscanned` says that there is none: away, too slow, or beyond the scanner's limits. */
export interface Scanner {
  scan(file: RandomReader): Promise<ScanState>
  /** Is it there, and can its verdicts be used? Rejects with ScannerAway, or with what is wrong and how to mend it. */
  prove(): Promise<void>
}

export interface UploadedFile {
  /** As the sender calls it. */
  name: string
  content: AsyncIterable<Uint8Array>
}

/** The one way in for files. */
export interface FileReceiver {
  /** What is wrong with the file is told at `field`, and nothing of it is left behind. */
  receive(file: UploadedFile, field?: string): Promise<ReceivedFile>
  /** An upload that nothing came of. */
  discard(file: Pick<ReceivedFile, 'blob'>): Promise<void>
}

/** Every file that the database speaks of, by ascending name of its blob. */
export interface BlobReferences {
  page(afterBlob: string, limit: number): Promise<StoredBlob[]>
  /** Which of these blobs some row names. */
  named(blobs: readonly string[]): Promise<Set<string>>
  /** Blobs that lost a reference; the oldest first. */
  loose(limit: number): Promise<LooseBlob[]>
  /** Its bytes are gone, or another row names it still. Those that lost another reference since stay. */
  forgetLoose(blobs: readonly LooseBlob[]): Promise<void>
  /** The last day (YYYYMMDD) whose uploads were looked through; empty before the first. */
  sweptUntil(): Promise<string>
  /** Never goes back. */
  setSweptUntil(day: string): Promise<void>
}

export interface LooseBlob {
  blob: string
  /** Different each time that it loses a reference. */
  since: EpochMs
}
