import type { EpochMs } from '../core/clock.ts'
import type { VerdictStore } from '../files/scanning-ports.ts'
import type { FileType, StoredFile } from '../model/application.ts'
import type { Format } from '../model/v1/rendering.ts'
import type { IdBounds } from './list-query.ts'

export interface DateBounds {
  afterDate?: EpochMs
  beforeDate?: EpochMs
}

export interface PageRequest extends IdBounds {
  format: Format
  includePrimaryInfo: boolean
  limit: number
  /** Text to put before and after the pieces, if there are any. */
  head: string
  tail: string
}

export interface Page {
  /**
   * The joined pieces in UTF-8 between head and tail, without the closing of the last piece; empty if there are no
   * pieces.
   */
  content: Buffer
  count: number
  /** The last ID of the page; meaningless if the page is empty. */
  lastId: number
  hasMore: boolean
}

/** Covers every application of the advertiser in between: an ID is never assigned below one that was listed. */
export interface HandedOut {
  firstId: number
  lastId: number
}

/**
 * Every call takes the advertiser first, so no query can reach another advertiser's data. A read with a `version` may go
 * to a replica that has that version of the advertiser; without one, it goes to the primary.
 */
export interface ApplicationStore extends VerdictStore {
  /**
   * Turns dates into bounds on IDs, which works because dates never decrease with IDs, and limits them to the newest
   * application at this moment, in one statement.
   */
  resolveBounds(advertiserId: number, dates: DateBounds, version?: number): Promise<IdBounds>
  page(advertiserId: number, request: PageRequest, version?: number): Promise<Page>
  file(
    advertiserId: number,
    applicationId: number,
    type: FileType,
    version?: number,
  ): Promise<StoredFile | undefined>
  screen(
    advertiserId: number,
    applicationId: number,
    format: Format,
    version?: number,
  ): Promise<string | undefined>
}
