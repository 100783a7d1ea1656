import type { AdFilter } from '../model/ad-details.ts'
import type { JobAdFields, PostingStatus } from '../model/job-ad.ts'
import type { AdHold } from '../model/job-report.ts'
import type { PrivacyNotice } from '../model/privacy-notice.ts'
import type { Questionnaire, QuestionnaireFields } from '../model/questionnaire.ts'
import type { EpochMs } from '../platform/core/clock.ts'

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
  /** Time zone of the company, or of the board, for its days. */
  timeZone: string
}

/** A job ad as candidates see it. */
export interface PublicJobAd extends ListedJobAd {
  screen: Questionnaire | null
  /** Months that the company chose to keep applications; null: the operator's default. */
  retentionChoice: number | null
  /** For how many months the company asks to keep applications for other jobs; null: it does not ask. */
  keepMonths: number | null
  /** The company's current notice. */
  privacyNotice: Pick<PrivacyNotice, 'version' | 'url'> | null
}

export interface HiringCompany {
  name: string
  logoHash: string | null
  count: number
}

/** Selects open ads. */
export interface OpenAds {
  now: EpochMs
  /** In search form. Each must occur in the title, the location or the advertiser's name. */
  words?: readonly string[]
  filter?: AdFilter
  /** Only ads of this advertiser. */
  advertiserId?: number
}

/** Selects a page of a console list, newest first. */
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
export interface JobAdSummary extends Omit<JobAd, 'description' | 'details' | 'hold'> {
  hold: AdHold['kind'] | null
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
