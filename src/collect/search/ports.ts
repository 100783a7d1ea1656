import type { EpochMs } from '../../core/clock.ts'
import type { StoredQuestionnaire } from '../../jobs/ports.ts'
import type { Limits } from '../../limits.ts'
import type { Contact, FileType, PrimaryJobSeekingInfo, StoredFile } from '../../model/application.ts'
import type { ApplicationStatus } from '../../model/application-status.ts'
import type { ScanState } from '../../model/scan-state.ts'
import type { IdBounds } from '../list-query.ts'
import type { StatusCounts } from '../progress/ports.ts'
import type { ApplicationFilter, Position } from './filter.ts'

/** The conditions of a filter, except for the date of the application and the order. */
export type ApplicationTraits = Omit<ApplicationFilter, 'from' | 'until' | 'unreadFirst'>

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
  files: readonly { type: FileType; scan: ScanState }[]
  primaryJobSeekingInfo: PrimaryJobSeekingInfo | null
  /** When its personal data was erased; null if it was not. */
  erasedAt: EpochMs | null
  status: ApplicationStatus
}

export interface ApplicationDetail extends Omit<FoundApplication, 'files'> {
  files: readonly StoredFile[]
  /** As version 1 renders it: see stored-screen.ts. */
  screenJson: string | null
  /** When and why its personal data will be erased, if that is planned. */
  erasure: { dueAt: EpochMs; reason: 'account' | 'withdrawn' | 'retention' } | null
}

/** How many match: `count`, or more than that. */
export interface Total {
  count: number
  isMore: boolean
}

/** The applications next to one, among those that match a filter. */
export interface Neighbours {
  newerId: number | undefined
  olderId: number | undefined
  /** Which of how many it is, from 1; undefined if it does not match, or is not among the newest that are counted. */
  place?: { number: number; total: Total }
}

/** Another application of the same person. */
export type RelatedApplication = Omit<FoundApplication, 'files'>

export interface AdChoice {
  id: number
  title: string
  reference: string | null
}

/** How much a search reads before it switches strategy: see docs/decisions/022-find-applications-by-index-ranges.md. */
export type SearchEffort = Pick<Limits, 'searchLook' | 'searchWindow'>

export interface SearchRequest {
  traits: ApplicationTraits
  bounds: IdBounds
  oldestFirst: boolean
  limit: number
  effort: SearchEffort
}

/** Searches the applications of an advertiser. */
export interface ApplicationSearch {
  /** The first `limit` matches within the bounds, from the newest or, with `oldestFirst`, from the oldest. */
  page(advertiserId: number, request: SearchRequest): Promise<FoundApplication[]>
  /** The IDs of the newest matches, up to `limit`; undefined if so many terms match that counting would be slow. */
  newestIds(
    advertiserId: number,
    request: Pick<SearchRequest, 'traits' | 'bounds' | 'limit'>,
  ): Promise<number[] | undefined>
  find(advertiserId: number, applicationId: number): Promise<ApplicationDetail | undefined>
  /** Those sent from the same account or with the same email address, newest first; none that was erased. */
  related(
    advertiserId: number,
    application: { id: number; email: string },
    limit: number,
  ): Promise<RelatedApplication[]>
  /** Newest first. */
  adChoices(advertiserId: number, limit: number): Promise<AdChoice[]>
}

export interface FoundPage {
  /** Newest first. */
  applications: FoundApplication[]
  /** Where the neighbouring pages begin, if there are any. */
  newer: Position
  older: Position
  /** Of the whole list; 0 on an empty page. */
  total: Total
  /** Of the same list without its condition on the status; undefined if there are conditions that are not counted. */
  counts: StatusCounts | undefined
}

/** Lets an advertiser's people search, read and export its applications. */
export interface ApplicationFinding {
  page(advertiserId: number, filter: ApplicationFilter, position: Position): Promise<FoundPage>
  /**
   * Every match up to the newest at this moment, newest first, in chunks. The first chunk is read before this resolves,
   * so that an error until then can still be sent as a proper response. `beforeMore` is called if there are more chunks.
   */
  all(
    advertiserId: number,
    filter: ApplicationFilter,
    beforeMore?: () => Promise<void>,
  ): Promise<AsyncIterable<FoundApplication[]>>
  /** Rejects with `not-found` if the advertiser has no such application. */
  detail(advertiserId: number, applicationId: number): Promise<ApplicationDetail>
  /** Other applications of the same person to this advertiser, newest first. */
  related(
    advertiserId: number,
    application: Pick<ApplicationDetail, 'id' | 'contact' | 'erasedAt'>,
  ): Promise<{ shown: RelatedApplication[]; hasMore: boolean }>
  /** The new application that has waited longest. */
  oldestUnread(advertiserId: number): Promise<FoundApplication | undefined>
  /** How many have arrived after this time. */
  countSince(advertiserId: number, since: EpochMs): Promise<Total>
  /** The application itself need not match the filter. */
  neighbours(advertiserId: number, applicationId: number, filter: ApplicationFilter): Promise<Neighbours>
  /** The current version of an answered questionnaire; undefined if the advertiser has none with this ID. */
  questionnaireNow(advertiserId: number, screenId: string): Promise<StoredQuestionnaire | undefined>
  /** Newest first. */
  adChoices(advertiserId: number): Promise<AdChoice[]>
}
