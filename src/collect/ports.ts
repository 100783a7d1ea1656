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
  /** What is to stand before the pieces and behind them, where there are any. */
  head: string
  tail: string
}

export interface Page {
  /**
   * The pieces put together in UTF-8, without the closing of the last, between what was asked for; empty when there
   * are none.
   */
  content: Buffer
  count: number
  /** The last ID of the page; meaningless when it is empty. */
  lastId: number
  hasMore: boolean
}

/**
 * Advertiser first in every call: no query of the store can reach over to another's data. A read that names a
 * `version` may be answered by a replica which has that version of the advertiser; without one the primary is asked.
 */
export interface ApplicationStore extends VerdictStore {
  /**
   * Turns dates into bounds on IDs, which is possible because dates never decrease with IDs, and closes
   * them at the newest application of this moment, all in one look.
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
