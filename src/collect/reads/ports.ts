import type { EpochMs } from '../../core/clock.ts'
import type { Reader } from '../../model/application-read.ts'

interface Read {
  advertiserId: number
  /** YYYY-MM-DD, in UTC. */
  day: string
  reader: Reader
  firstAt: EpochMs
  lastAt: EpochMs
}

export interface ApplicationRead extends Read {
  applicationId: number
  way: 'view' | 'download' | 'export'
}

/** Covers every application of the advertiser from the first ID to the last. */
export interface ListRead extends Read {
  way: 'list' | 'export'
  firstId: number
  lastId: number
}

/** One row per day, reader, way and application or range: what is written again only moves the times. */
export interface ReadStore {
  /** Ignores applications that do not exist or are erased. */
  addReads(reads: readonly ApplicationRead[]): Promise<void>
  /** Ignores advertisers that do not exist. */
  addLists(lists: readonly ListRead[]): Promise<void>
}
