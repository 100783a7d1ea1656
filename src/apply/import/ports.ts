import type { Clock, EpochMs } from '../../core/clock.ts'
import type { RandomReader } from '../../core/random-reader.ts'
import type { NewApplication } from '../new-application.ts'
import type { LineRange } from './line-index.ts'
import type { Refusal } from './refusals.ts'

export interface RawLine extends LineRange {
  /** Undefined when the line is longer than a line may be. */
  content: Uint8Array | undefined
}

/** A file that a line names. The caller closes it. */
export interface AttachedFile extends RandomReader {
  content(): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

export type AttachedFault = 'missing' | 'outside' | 'not-a-file' | 'unreadable'

/** The file that is imported, and those that it names. */
export interface ImportSource {
  readonly size: number
  /** Every line that is not blank, in pieces; to be read to the end once. */
  lines(): AsyncIterable<RawLine[]>
  /** Of the whole content, once all lines have been read. */
  sha256(): string
  /** What stands there, without the end of the line. */
  read(range: LineRange): Uint8Array
  /** False when somebody has written to it since it was opened: the places of the lines are no longer right. */
  isUnchanged(): boolean
  /** Only within the folder of files, symbolic links included. */
  openAttached(path: string): Promise<AttachedFile | { fault: AttachedFault }>
  /** These lines to a new file. */
  copyTo(path: string, ranges: Iterable<LineRange>): Promise<void>
  close(): Promise<void>
}

export interface ImportFiles {
  /** `filesFolder`: where the named files are; without it, beside the file itself. */
  open(path: string, filesFolder: string | undefined): Promise<ImportSource>
  exists(path: string): Promise<boolean>
}

export interface ImportState {
  /** Lines that are done, in the order of their dates. */
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
  /** Lines that were done before and will be after it. */
  from: number
  to: number
  isLast: boolean
  /** In the order of their dates. */
  entries: readonly BatchEntry[]
  refusals: readonly Refusal[]
  /** The advertisers that have taken lines of the file before. */
  begun: ReadonlySet<number>
  /** After that, the clean-up may have removed the files of the entries, which no row names yet. */
  filesKeptUntil: EpochMs
}

/** Files are known by the hash of their content. */
export interface ImportStore {
  find(fileHash: string): Promise<ImportState | undefined>
  /** Harmless when it was begun before. */
  begin(fileHash: string, at: EpochMs): Promise<void>
  /** By advertiser, the date of its newest application, or null while it has none; without those that do not exist. */
  newestApplications(advertiserIds: readonly number[]): Promise<Map<number, EpochMs | null>>
  /**
   * One durable step: the applications, the refusals and how far it has come. Entries of advertisers that cannot
   * take them any more are refused, and returned. Nothing is done when another run has done `from` (`overtaken`),
   * or when the files may be gone by now (`too-late`).
   */
  addBatch(fileHash: string, batch: ImportBatch, clock: Clock): Promise<Refusal[] | 'overtaken' | 'too-late'>
  refusals(fileHash: string, afterLine: number, limit: number): Promise<Refusal[]>
}
