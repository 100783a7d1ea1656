import type { EpochMs } from '../core/clock.ts'
import type { JobAdFields, PostingStatus } from './job-ad.ts'
import type { Screen, ScreenFields } from './screen.ts'

export interface JobAd extends JobAdFields {
  id: number
  advertiserId: number
  status: PostingStatus
  createdAt: EpochMs
  updatedAt: EpochMs
}

export interface StoredScreen extends Screen {
  advertiserId: number
  status: PostingStatus
  createdAt: EpochMs
  updatedAt: EpochMs
}

/** As the list of the job board shows it. */
export interface ListedJobAd extends JobAd {
  advertiserName: string
}

/** As candidates find it. */
export interface PublicJobAd extends ListedJobAd {
  screen: Screen | null
}

/** What every candidate may see: nothing of an advertiser on hold. */
export interface JobBoard {
  /** The ad while its advertiser is active, open or not. */
  find(jobAdId: number): Promise<PublicJobAd | undefined>
  /** Newest first; `today` is the day that closing dates are compared with. */
  listOpen(beforeId: number, limit: number, today: string): Promise<ListedJobAd[]>
}

export interface JobAdStore {
  add(advertiserId: number, fields: JobAdFields, at: EpochMs): Promise<JobAd>
  /** Undefined when the advertiser has no such ad. */
  update(advertiserId: number, jobAdId: number, fields: JobAdFields, at: EpochMs): Promise<JobAd | undefined>
  setStatus(
    advertiserId: number,
    jobAdId: number,
    status: PostingStatus,
    at: EpochMs,
  ): Promise<JobAd | undefined>
  find(advertiserId: number, jobAdId: number): Promise<JobAd | undefined>
  /** Ascending by ID. */
  list(advertiserId: number, afterId: number, limit: number): Promise<JobAd[]>
}

export interface ScreenStore {
  add(advertiserId: number, fields: ScreenFields, at: EpochMs): Promise<StoredScreen>
  /** Undefined when the advertiser has no such screen. */
  update(
    advertiserId: number,
    screenId: number,
    fields: ScreenFields,
    at: EpochMs,
  ): Promise<StoredScreen | undefined>
  setStatus(
    advertiserId: number,
    screenId: number,
    status: PostingStatus,
    at: EpochMs,
  ): Promise<StoredScreen | undefined>
  find(advertiserId: number, screenId: number): Promise<StoredScreen | undefined>
  /** Ascending by ID. */
  list(advertiserId: number, afterId: number, limit: number): Promise<StoredScreen[]>
}
