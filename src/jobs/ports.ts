import type { EpochMs } from '../core/clock.ts'
import type { KeptKey, KeyState } from '../core/idempotency-keys.ts'
import type { JobAdFields, PostingStatus } from '../model/job-ad.ts'
import type { Questionnaire, QuestionnaireFields } from '../model/questionnaire.ts'

/** A job ad or a questionnaire of an advertiser. */
export interface Posting {
  id: number
  advertiserId: number
  status: PostingStatus
  createdAt: EpochMs
  updatedAt: EpochMs
}

export type Stored<Content> = Posting & Content
export type JobAd = Stored<JobAdFields>
export type StoredQuestionnaire = Stored<QuestionnaireFields>

/** A job ad as the job board lists it. */
export interface ListedJobAd extends JobAd {
  advertiserName: string
  logoHash: string | null
}

/** A job ad as candidates see it. */
export interface PublicJobAd extends ListedJobAd {
  screen: Questionnaire | null
  /** Months that the company chose to keep applications; null: the operator's default. */
  retentionChoice: number | null
}

/** The public job board. Ads of an advertiser on hold are not shown. */
export interface JobBoard {
  /** Finds an ad, open or closed, if its advertiser is active. */
  find(jobAdId: number): Promise<PublicJobAd | undefined>
  /** Lists open ads, newest first. */
  listOpen(beforeId: number, limit: number, choice: OpenAds): Promise<ListedJobAd[]>
  /** Companies with open ads, those with the newest first, and how many of the newest thousand ads are theirs. */
  companies(limit: number, choice: OpenAds): Promise<HiringCompany[]>
  /** Counts open ads, up to `max`. */
  countOpen(max: number, choice: OpenAds): Promise<number>
}

export interface HiringCompany {
  name: string
  logoHash: string | null
  count: number
}

/** Which open ads. */
export interface OpenAds {
  /** Closing dates are compared with it. */
  today: string
  /** In search form. Each must occur in the title, the location or the advertiser's name. */
  words?: readonly string[]
  /** Only those of this advertiser. */
  advertiserId?: number
}

/** An advertiser's job ads, or its questionnaires. */
export interface PostingStore<Content> {
  add(advertiserId: number, content: Content, at: EpochMs): Promise<Stored<Content>>
  /** Adds nothing if the key is already in use. */
  addOnce(
    advertiserId: number,
    content: Content,
    at: EpochMs,
    save: KeptKey,
  ): Promise<Stored<Content> | KeyState>
  /** Undefined if the advertiser has no such entry, or if it has been updated since `from`. */
  update(
    advertiserId: number,
    id: number,
    content: Content,
    at: EpochMs,
    from?: EpochMs,
  ): Promise<Stored<Content> | undefined>
  setStatus(
    advertiserId: number,
    id: number,
    status: PostingStatus,
    at: EpochMs,
  ): Promise<Stored<Content> | undefined>
  find(advertiserId: number, id: number): Promise<Stored<Content> | undefined>
  /** Ascending by ID; only ads with this reference, if one is given. Questionnaires have none. */
  list(advertiserId: number, afterId: number, limit: number, reference?: string): Promise<Stored<Content>[]>
}

export type JobAdStore = PostingStore<JobAdFields>
export type QuestionnaireStore = PostingStore<QuestionnaireFields>

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
