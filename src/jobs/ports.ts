import type { EpochMs } from '../core/clock.ts'
import type { KeptKey, KeyState } from '../core/idempotency-keys.ts'
import type { JobAdFields, PostingStatus } from '../model/job-ad.ts'
import type { Questionnaire, QuestionnaireFields } from '../model/questionnaire.ts'

export interface JobAd extends JobAdFields {
  id: number
  advertiserId: number
  status: PostingStatus
  createdAt: EpochMs
  updatedAt: EpochMs
}

export interface StoredQuestionnaire extends Questionnaire {
  advertiserId: number
  status: PostingStatus
  createdAt: EpochMs
  updatedAt: EpochMs
}

/** A job ad as the job board lists it. */
export interface ListedJobAd extends JobAd {
  advertiserName: string
}

/** A job ad as candidates see it. */
export interface PublicJobAd extends ListedJobAd {
  screen: Questionnaire | null
}

/** The public job board. Ads of an advertiser on hold are not shown. */
export interface JobBoard {
  /** Finds an ad, open or closed, if its advertiser is active. */
  find(jobAdId: number): Promise<PublicJobAd | undefined>
  /**
   * Lists open ads, newest first. Closing dates are compared with `today`. Each of the words, in search form, must occur
   * in the title, the location or the advertiser's name.
   */
  listOpen(beforeId: number, limit: number, today: string, words?: readonly string[]): Promise<ListedJobAd[]>
}

export interface JobAdStore {
  add(advertiserId: number, fields: JobAdFields, at: EpochMs): Promise<JobAd>
  /** Adds nothing if the key is already in use. */
  addOnce(advertiserId: number, fields: JobAdFields, at: EpochMs, save: KeptKey): Promise<JobAd | KeyState>
  /** Undefined if the advertiser has no such ad, or if it has been updated since `from`. */
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
  /** Ascending by ID; only ads with this reference, if one is given. */
  list(advertiserId: number, afterId: number, limit: number, reference?: string): Promise<JobAd[]>
}

export interface QuestionnaireStore {
  add(advertiserId: number, fields: QuestionnaireFields, at: EpochMs): Promise<StoredQuestionnaire>
  /** Adds nothing if the key is already in use. */
  addOnce(
    advertiserId: number,
    fields: QuestionnaireFields,
    at: EpochMs,
    save: KeptKey,
  ): Promise<StoredQuestionnaire | KeyState>
  /** Undefined if the advertiser has no such screen, or if it has been updated since `from`. */
  update(
    advertiserId: number,
    screenId: number,
    fields: QuestionnaireFields,
    at: EpochMs,
    from?: EpochMs,
  ): Promise<StoredQuestionnaire | undefined>
  setStatus(
    advertiserId: number,
    screenId: number,
    status: PostingStatus,
    at: EpochMs,
  ): Promise<StoredQuestionnaire | undefined>
  find(advertiserId: number, screenId: number): Promise<StoredQuestionnaire | undefined>
  /** Ascending by ID. */
  list(advertiserId: number, afterId: number, limit: number): Promise<StoredQuestionnaire[]>
}

/** A page of a list in the console, newest first, with links to newer and older pages. */
export interface ListPosition {
  /** Where the page begins: below or above this ID; at the newest entry if neither is given. */
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

/** A row of the advertiser's own list, without the description. */
export interface OwnJobAd extends Omit<JobAd, 'description'> {
  screenName: string | null
}

/** A row of the list of questionnaires, without the questions. */
export interface OwnQuestionnaire {
  id: number
  name: string
  status: PostingStatus
  questionCount: number
  adCount: number
  updatedAt: EpochMs
}

/** The console's lists of an advertiser's ads and questionnaires. */
export interface PostingLists {
  /** Ads with a closing date before `today` count as closed. */
  jobAds(advertiserId: number, position: ListPosition, today: string): Promise<ListedPage<OwnJobAd>>
  screens(advertiserId: number, position: ListPosition): Promise<ListedPage<OwnQuestionnaire>>
  /** Open questionnaires to choose from, newest first. */
  openScreens(advertiserId: number, limit: number): Promise<{ id: number; name: string }[]>
  /** The ads that use this questionnaire, newest first. */
  adsWithScreen(
    advertiserId: number,
    screenId: number,
    limit: number,
  ): Promise<{ id: number; title: string; status: PostingStatus }[]>
}

/** An advertiser's ads or questionnaires. They are created, changed, closed and reopened, but never deleted. */
export interface OwnPostings<Entry, Content> {
  /** Reads a JSON body; throws with every invalid field. */
  read(body: unknown): { advertiserId: number; content: Content }
  add(advertiserId: number, content: Content): Promise<Entry>
  /** Updates the entry only if it has not changed since `from`; otherwise returns undefined. */
  revise(advertiserId: number, id: number, content: Content, from: EpochMs): Promise<Entry | undefined>
  setStatus(advertiserId: number, id: number, status: PostingStatus): Promise<Entry>
  find(advertiserId: number, id: number): Promise<Entry>
}

export type OwnJobAds = OwnPostings<JobAd, JobAdFields>
export type OwnQuestionnaires = OwnPostings<StoredQuestionnaire, QuestionnaireFields>
