import type { EpochMs } from '../core/clock.ts'
import type { RandomReader } from '../core/random-reader.ts'
import type { ScanState } from './scan-state.ts'

export interface StoredBlob {
  /** The upload's name in the store, unique to it and never reused. */
  blob: string
  sha256: string
  size: number
}

/** A file as its row describes it; `blob` is null if its content was discarded. */
export interface KeptFile {
  blob: string | null
  size: number
  /** Hash of the whole content. If given, a store that reads over a network verifies it. */
  sha256?: string
}

/** First and last byte, inclusive. */
export interface ByteRange {
  start: number
  end: number
}

export interface PooledBytes {
  bytes: Uint8Array
  /** Call once the bytes are no longer used. */
  release(): void
}

/** The headers required in the response, and whether a proxy can send the content. */
export interface DownloadRequest {
  contentType: string
  contentDisposition: string
  cacheControl: string
  /** Whether a proxy has announced that it serves internal paths. */
  isNginxInFront: boolean
}

/** A URL to redirect the caller to, or a path that only the proxy can open. */
export type DelegatedDownload = { url: string } | { internalPath: string }

/** A folder or a bucket that contains files. */
export interface BlobPlace {
  /** Used in messages. */
  name: string
  /** ID of the database with which the place is marked; undefined if it is not marked. */
  owner(): Promise<string | undefined>
  setOwner(databaseId: string): Promise<void>
  /** The names of up to `max` blobs; empty only if there are none. */
  sample(max: number): Promise<string[]>
  notes: PlaceNotes
}

/** Small texts beside the blobs, under names that no blob has, such as `ids/...`. Durable once written. */
export interface PlaceNotes {
  /** Undefined if there is no such note. */
  read(name: string): Promise<string | undefined>
  write(name: string, text: string): Promise<void>
  /** Returns names with this prefix, which contains a folder, in ascending order. */
  list(start: string): Promise<string[]>
  remove(name: string): Promise<void>
}

/** Stores uploaded bytes, each upload under its own name. */
export interface BlobStore {
  /** Locations of the bytes: one place, or two during a move. */
  places: readonly BlobPlace[]
  /**
   * Returns once the bytes are durable. `check` gets the complete content before that; if it rejects, or the content
   * breaks off, nothing is kept.
   */
  put(content: AsyncIterable<Uint8Array>, check?: (file: RandomReader) => Promise<void>): Promise<StoredBlob>
  /**
   * Rejects before the first byte if the blob is missing or of another size (FileLost), or if the store is unavailable. A
   * stream that cannot deliver the whole content, or would deliver other bytes, is destroyed before its last byte, so it
   * never ends as if it were complete.
   */
  open(file: KeptFile, range?: ByteRange): Promise<NodeJS.ReadableStream>
  /**
   * Returns all bytes in a borrowed buffer, which must be released; undefined if they are too many or too many buffers
   * are in use, and then the caller streams. Rejects like `open`, but always before the first byte.
   */
  acquire?(file: KeptFile, range?: ByteRange): Promise<PooledBytes | undefined>
  /**
   * Returns where the caller finds the whole content if this process need not send it; undefined if it must. Rejects
   * like `open`.
   */
  delegateDownload?(file: KeptFile, request: DownloadRequest): Promise<DelegatedDownload | undefined>
  /** Gives random access to the whole content. Rejects like `open`. */
  examine<T>(file: KeptFile, look: (content: RandomReader) => Promise<T>): Promise<T>
  /** Does nothing if there is no such blob. */
  remove(blob: string): Promise<void>
  /** The days with uploads (YYYYMMDD, UTC) later than `after`, oldest first. */
  days(after: string): Promise<string[]>
  /** All blobs uploaded on this day, in batches. */
  uploadedOn(day: string): AsyncIterable<string[]>
  /** Removes the remains of a day besides its blobs: empty folders and incomplete uploads. */
  tidyDay(day: string): Promise<void>
  /** Rejects with the reason if the store is unavailable. Called every second, so it must be cheap. */
  check(): Promise<void>
  /** Rejects with the problem and how to fix it, unless a file can be stored, read and removed. */
  prove(): Promise<void>
}

/** Returns `unscanned` if there is no verdict yet, because the scanner is unavailable or too slow. */
export interface Scanner {
  scan(file: RandomReader): Promise<ScanState>
  /** Checks the scanner. Rejects with ScannerAway if it is unavailable, or with an error that says how to fix it. */
  prove(): Promise<void>
}

export interface UploadedFile {
  /** The name given by the sender. */
  name: string
  content: AsyncIterable<Uint8Array>
}

/** The database's references to blobs. */
export interface BlobReferences {
  /** Blobs to which a row refers, in order of their names. */
  page(afterBlob: string, limit: number): Promise<StoredBlob[]>
  /** Returns the blobs among these to which a row refers, as the row describes them. */
  described(blobs: readonly string[]): Promise<StoredBlob[]>
  /** Returns the blobs among these to which a row refers. */
  named(blobs: readonly string[]): Promise<Set<string>>
  /** Blobs that have lost a reference, oldest first. */
  loose(limit: number): Promise<LooseBlob[]>
  /** Deletes these entries, except those that have lost another reference since they were read. */
  forgetLoose(blobs: readonly LooseBlob[]): Promise<void>
  /** The last day (YYYYMMDD) whose uploads were swept; empty before the first. */
  sweptUntil(): Promise<string>
  /** Never moves backwards. */
  setSweptUntil(day: string): Promise<void>
  /** When the database was last restored; 0 if it never was. */
  restoredAt(): Promise<EpochMs>
  /** Undefined before the first `makeDatabaseId`. */
  databaseId(): Promise<string | undefined>
  /** Returns the database's ID, which is set to `fresh` if there was none. */
  makeDatabaseId(fresh: string): Promise<string>
}

export interface LooseBlob {
  blob: string
  /** Changes each time the blob loses a reference. */
  since: EpochMs
}
