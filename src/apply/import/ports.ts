import type { Clock, EpochMs } from '../../core/clock.ts'
import type { RandomReader } from '../../core/random-reader.ts'
import type { NewApplication } from '../new-application.ts'
import type { LineRange } from './line-index.ts'
import type { Refusal } from './refusals.ts'

export interface RawLine extends LineRange {
  /** Undefined if the line exceeds the maximum length. */
  content: Uint8Array | undefined
}

/** A file that a line refers to. The caller closes it. */
export interface AttachedFile extends RandomReader {
  content(): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

export type AttachedFault = 'missing' | 'outside' | 'not-a-file' | 'unreadable'

/** The file being imported, and the files that it refers to. */
export interface ImportSource {
  readonly size: number
  /** Every line that is not empty, in batches; must be read to the end once. */
  lines(): AsyncIterable<RawLine[]>
  /** Hash of the whole content; available once all lines have been read. */
  sha256(): string
  /** The content of a line, without its line ending. */
  read(range: LineRange): Uint8Array
  /** False if the file has been written to since it was opened, so that the line positions are no longer valid. */
  isUnchanged(): boolean
  /** Opens a file within the files folder only, even through symbolic links. */
  openAttached(path: string): Promise<AttachedFile | { fault: AttachedFault }>
  /** Copies these lines to a new file. */
  copyTo(path: string, ranges: Iterable<LineRange>): Promise<void>
  close(): Promise<void>
}

export interface ImportFiles {
  /** `filesFolder` is where the attached files are; defaults to the folder of the file itself. */
  open(path: string, filesFolder: string | undefined): Promise<ImportSource>
  exists(path: string): Promise<boolean>
}

export interface ImportState {
  /** Number of lines processed, in date order. */
  linesDone: number
  imported: number
  refused: number
  finishedAt: EpochMs | null
}

export interface BatchEntry {
  line: number
  advertiserId: number
  submittedAt: EpochMs
  application: NewApplication
}

export interface ImportBatch {
  /** Number of lines processed before this batch and after it. */
  from: number
  to: number
  isLast: boolean
  /** In date order. */
  entries: readonly BatchEntry[]
  refusals: readonly Refusal[]
  /** The advertisers that have already received applications from this file. */
  begun: ReadonlySet<number>
  /** After this time, the clean-up may have removed the entries' files, because no row refers to them yet. */
  filesKeptUntil: EpochMs
}

/** Identifies import files by the hash of their content. */
export interface ImportStore {
  find(fileHash: string): Promise<ImportState | undefined>
  /** Has no effect if the import was begun before. */
  begin(fileHash: string, at: EpochMs): Promise<void>
  /** The date of each advertiser's newest application, null if it has none; unknown advertisers are left out. */
  newestApplications(advertiserIds: readonly number[]): Promise<Map<number, EpochMs | null>>
  /**
   * Stores the applications, the rejections and the progress in one durable step. Rejects and returns the entries of
   * advertisers that can no longer accept them. Does nothing if another run has already processed these lines
   * (`overtaken`), or if the clean-up may have removed the files (`too-late`).
   */
  addBatch(fileHash: string, batch: ImportBatch, clock: Clock): Promise<Refusal[] | 'overtaken' | 'too-late'>
  refusals(fileHash: string, afterLine: number, limit: number): Promise<Refusal[]>
}
