import type { EpochMs } from '../core/clock.ts'
import type { RandomReader } from '../core/random-reader.ts'
import type { ScanState } from '../model/scan-state.ts'
import type { ReceivedFile } from '../model/stored-file.ts'

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
  /** Of the whole content; where it is told, a store that sends bytes over a network compares it. */
  sha256?: string
}

/** First and last byte, both included. */
export interface ByteRange {
  start: number
  end: number
}

export interface LentBytes {
  bytes: Uint8Array
  /** When nobody reads them any more. */
  giveBack(): void
}

/** What the answer with the content has to say of it, and who will see to it. */
export interface HandOverRequest {
  contentType: string
  contentDisposition: string
  cacheControl: string
  /** Has a proxy said that it opens internal paths? */
  isNginxInFront: boolean
}

/** An address that the caller is sent to, or a path that only the proxy in front of us can open. */
export type HandOver = { url: string } | { internalPath: string }

/** A folder or a bucket with files in it. */
export interface BlobPlace {
  /** For people. */
  name: string
  /** The ID of the database whose files these are; undefined when nothing says so. */
  owner(): Promise<string | undefined>
  setOwner(databaseId: string): Promise<void>
  /** The names of some blobs that are there, at most so many; none only when there is none. */
  sample(most: number): Promise<string[]>
}

/** Uploaded bytes, each under a name of its own. */
export interface BlobStore {
  /** Where they are: one, or two while they move. */
  places: readonly BlobPlace[]
  /**
   * Returns only when the bytes are safe. `check` sees the complete content before that; when it
   * rejects, or the content breaks off, nothing is left behind.
   */
  put(content: AsyncIterable<Uint8Array>, check?: (file: RandomReader) => Promise<void>): Promise<StoredBlob>
  /**
   * Rejects before the first byte when the blob is missing or not of this size (FileLost), or when the store is away. A stream that cannot deliver all of
   * it, or would deliver something else, is destroyed before its last byte: it never ends as if it were whole.
   */
  open(file: KeptFile, range?: ByteRange): Promise<NodeJS.ReadableStream>
  /**
   * The bytes at once, in memory that must be given back; undefined when they are too many, or when too many have
   * such memory already: then they are streamed. Rejects like `open`, but always before the first byte.
   */
  lend?(file: KeptFile, range?: ByteRange): Promise<LentBytes | undefined>
  /**
   * Where whoever asked finds the whole content, when that is not for us to send; undefined when it is. Rejects like
   * `open`.
   */
  handOver?(file: KeptFile, request: HandOverRequest): Promise<HandOver | undefined>
  /** Hands over the whole content to be looked at in any order. Rejects like `open`. */
  examine<T>(file: KeptFile, look: (content: RandomReader) => Promise<T>): Promise<T>
  /** Harmless when there is no such blob. */
  remove(blob: string): Promise<void>
  /** The days (YYYYMMDD, UTC) after this one on which something was uploaded, oldest first. */
  days(after: string): Promise<string[]>
  /** Every blob that was uploaded on this day, in batches. */
  uploadedOn(day: string): AsyncIterable<string[]>
  /** Forgets what is left of a day besides its blobs: empty folders, uploads that were never completed. */
  tidyDay(day: string): Promise<void>
  /** Rejects, with what is wrong, when the store is away. Asked every second, so it costs little. */
  check(): Promise<void>
  /** Rejects, with what is wrong and how to mend it, unless a file can be stored, read and removed. */
  prove(): Promise<void>
}

/** `unscanned` says that there is no verdict yet: the scanner is away, or too slow. */
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
  /** Those of these blobs that some row names, as it describes them. */
  described(blobs: readonly string[]): Promise<StoredBlob[]>
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
  /** Undefined before the first `makeDatabaseId`. */
  databaseId(): Promise<string | undefined>
  /** The ID that the database has, which is `fresh` when it had none. */
  makeDatabaseId(fresh: string): Promise<string>
}

export interface LooseBlob {
  blob: string
  /** Different each time that it loses a reference. */
  since: EpochMs
}
