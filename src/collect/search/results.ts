import type { AdVersion } from '../../model/ad-version.ts'
import type {
  AnyFileType,
  Contact,
  PrimaryJobSeekingInfo,
  QuestionnaireResult,
  StoredFile,
} from '../../model/application.ts'
import type { ApplicationStatus } from '../../model/application-status.ts'
import type { PrivacyNotice } from '../../model/privacy-notice.ts'
import type { ScanState } from '../../platform/blobs/scan-state.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { StatusCounts } from '../progress/progress-store.ts'
import type { Position } from './filter.ts'

export interface FoundApplication {
  id: number
  submittedAt: EpochMs
  contact: Contact
  /** The ad in its current state; null if the application was not made for an ad stored here. */
  jobAd: { id: number; title: string } | null
  jobReference: string | null
  /** Null if there was no questionnaire. */
  isQuestionnairePassed: boolean | null
  hasVirus: boolean
  files: readonly { type: AnyFileType; scan: ScanState }[]
  primaryJobSeekingInfo: PrimaryJobSeekingInfo | null
  /** When its personal data was erased; null if it was not. */
  erasedAt: EpochMs | null
  status: ApplicationStatus
  /** The stage of the program that reported the status, in its own words; null if there is none. */
  stage: string | null
}

export interface ApplicationDetail extends Omit<FoundApplication, 'files'> {
  files: readonly StoredFile[]
  answered: QuestionnaireResult | undefined
  /** The company's notice as shown above the form; null if there was none. */
  privacyNotice: PrivacyNotice | null
  /** The last day for which the company may keep it for other jobs; null: none. */
  keptUntil: string | null
  /** The job ad as the candidate saw it; null if unknown. */
  seenAd: AdVersion | null
  /** When and why its personal data will be erased, if that is planned. */
  erasure: { dueAt: EpochMs; reason: 'account' | 'withdrawn' | 'retention' } | null
}

/** The number of matches: `count`, or more. */
export interface Total {
  count: number
  isMore: boolean
}

/** The matches of a filter just before and after an application. */
export interface Neighbours {
  newerId: number | undefined
  olderId: number | undefined
  /**
   * The application's number among the matches, from 1; undefined if it does not match, or is not among the newest that
   * are counted.
   */
  place?: { number: number; total: Total }
}

/** Another application of the same person. */
export type RelatedApplication = Omit<FoundApplication, 'files'>

export interface AdChoice {
  id: number
  title: string
  reference: string | null
}

export interface FoundPage {
  /** Newest first. */
  applications: FoundApplication[]
  /** Start positions of the neighbouring pages, if any. */
  newer: Position
  older: Position
  /** Number of applications in the whole list; 0 on an empty page. */
  total: Total
  /**
   * Counts of the same list without its condition on the status; undefined if it has other conditions for which there
   * are no counts.
   */
  counts: StatusCounts | undefined
}
