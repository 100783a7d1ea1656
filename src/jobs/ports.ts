import type { EpochMs } from '../core/clock.ts'
import type { KeptKey, KeyState } from '../core/idempotency-keys.ts'
import type { JobAdFields, PostingStatus } from '../model/job-ad.ts'
import type { Screen, ScreenFields } from '../model/questionnaire.ts'

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
  /**
   * Newest first; `today` is the day that closing dates are compared with. Each of the words, folded, stands
   * somewhere in title, location or name of the advertiser.
   */
  listOpen(beforeId: number, limit: number, today: string, words?: readonly string[]): Promise<ListedJobAd[]>
}

export interface JobAdStore {
  add(advertiserId: number, fields: JobAdFields, at: EpochMs): Promise<JobAd>
  /** Unless the key is not free: then nothing is added. */
  addOnce(advertiserId: number, fields: JobAdFields, at: EpochMs, save: KeptKey): Promise<JobAd | KeyState>
  /** Undefined when the advertiser has no such ad, or it is no longer the one of the time `from`. */
  update(
    advertiserId: number,
    jobAdId: number,
    fields: JobAdFields,
    at: EpochMs,
    from?: EpochMs,
  ): Promise<JobAd | undefined>
  setStatus(
    advertiserId: number,
    jobAdId: number,
    status: PostingStatus,
    at: EpochMs,
  ): Promise<JobAd | undefined>
  find(advertiserId: number, jobAdId: number): Promise<JobAd | undefined>
  /** Ascending by ID; those with this reference alone, where there is one. */
  list(advertiserId: number, afterId: number, limit: number, reference?: string): Promise<JobAd[]>
}

export interface ScreenStore {
  add(advertiserId: number, fields: ScreenFields, at: EpochMs): Promise<StoredScreen>
  /** Unless the key is not free: then nothing is added. */
  addOnce(
    advertiserId: number,
    fields: ScreenFields,
    at: EpochMs,
    save: KeptKey,
  ): Promise<StoredScreen | KeyState>
  /** Undefined when the advertiser has no such screen, or it is no longer the one of the time `from`. */
  update(
    advertiserId: number,
    screenId: number,
    fields: ScreenFields,
    at: EpochMs,
    from?: EpochMs,
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

/** A page of a list for people: newest first, and the way both up and down. */
export interface ListPosition {
  /** Where it begins: below this ID, or above it; at the top when neither is said. */
  beforeId?: number | undefined
  afterId?: number | undefined
  limit: number
  status?: PostingStatus | undefined
}

export interface ListedPage<Entry> {
  entries: Entry[]
  hasNewer: boolean
  hasOlder: boolean
}

/** A row of the advertiser's own list; the text of an ad has no place in it. */
export interface OwnJobAd extends Omit<JobAd, 'description'> {
  screenName: string | null
}

/** A row of the list of questionnaires, without the questions. */
export interface OwnScreen {
  id: number
  name: string
  status: PostingStatus
  questionCount: number
  adCount: number
  updatedAt: EpochMs
}

/** What the console lists of an advertiser's ads and questionnaires. */
export interface PostingLists {
  /** `today` is the day that closing dates are compared with: what is past it counts as closed. */
  jobAds(advertiserId: number, position: ListPosition, today: string): Promise<ListedPage<OwnJobAd>>
  screens(advertiserId: number, position: ListPosition): Promise<ListedPage<OwnScreen>>
  /** Open ones, for choosing; newest first. */
  openScreens(advertiserId: number, limit: number): Promise<{ id: number; name: string }[]>
  /** The ads that have this questionnaire, newest first. */
  adsWithScreen(
    advertiserId: number,
    screenId: number,
    limit: number,
  ): Promise<{ id: number; title: string; status: PostingStatus }[]>
}

/** What an advertiser keeps here: it is written, changed, closed and opened again, and never removed. */
export interface OwnPostings<Entry, Content> {
  /** What a JSON body says, and of whom; throws with every wrong field. */
  read(body: unknown): { advertiserId: number; content: Content }
  add(advertiserId: number, content: Content): Promise<Entry>
  /** As `replace`, for whoever has seen it as it was at the time `from`; undefined when it has changed since. */
  revise(advertiserId: number, id: number, content: Content, from: EpochMs): Promise<Entry | undefined>
  setStatus(advertiserId: number, id: number, status: PostingStatus): Promise<Entry>
  find(advertiserId: number, id: number): Promise<Entry>
}

export type OwnJobAds = OwnPostings<JobAd, JobAdFields>
export type OwnScreens = OwnPostings<StoredScreen, ScreenFields>
