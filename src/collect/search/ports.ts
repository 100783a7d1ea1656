import type { EpochMs } from '../../core/clock.ts'
import type { StoredScreen } from '../../jobs/ports.ts'
import type { Contact, FileType, PrimaryJobSeekingInfo, StoredFile } from '../../model/application.ts'
import type { ScanState } from '../../model/scan-state.ts'
import type { IdBounds } from '../list-query.ts'
import type { ApplicationFilter, Position } from './filter.ts'

/** What holds of an application, apart from when it was made. */
export type ApplicationTraits = Omit<ApplicationFilter, 'from' | 'until'>

export interface FoundApplication {
  id: number
  submittedAt: EpochMs
  contact: Contact
  /** The ad as it is now; null when it was made for none of those here. */
  jobAd: { id: number; title: string } | null
  jobReference: string | null
  /** Null when there was no questionnaire. */
  isScreenPassed: boolean | null
  hasVirus: boolean
  files: readonly { type: FileType; scan: ScanState }[]
  primaryJobSeekingInfo: PrimaryJobSeekingInfo | null
  /** Since when nothing personal is left of it. */
  erasedAt: EpochMs | null
}

export interface ApplicationDetail extends Omit<FoundApplication, 'files'> {
  files: readonly StoredFile[]
  /** As version 1 shows it: see stored-screen.ts. */
  screenJson: string | null
  /** When what is personal goes, since the candidate has deleted their account. */
  erasureDueAt: EpochMs | null
}

/** The applications beside one, among those that a filter finds. */
export interface Neighbours {
  newerId: number | undefined
  olderId: number | undefined
}

export interface AdChoice {
  id: number
  title: string
  reference: string | null
}

/** How much a search looks at before it takes another way: see docs/decisions/022-find-applications-by-index-ranges.md. */
export interface SearchEffort {
  searchLook: number
  searchWindow: number
}

export interface SearchRequest {
  traits: ApplicationTraits
  bounds: IdBounds
  oldestFirst: boolean
  limit: number
  effort: SearchEffort
}

/** Finding one's way through the applications of an advertiser. */
export interface ApplicationSearch {
  /** The first `limit` that match, from the newest or, with `oldestFirst`, from the oldest within the bounds. */
  page(advertiserId: number, request: SearchRequest): Promise<FoundApplication[]>
  find(advertiserId: number, applicationId: number): Promise<ApplicationDetail | undefined>
  /** Newest first. */
  adChoices(advertiserId: number, limit: number): Promise<AdChoice[]>
}

export interface FoundPage {
  /** Newest first. */
  applications: FoundApplication[]
  /** Where the pages beside it begin, when there are any. */
  newer: Position
  older: Position
}

/** What an advertiser's people do with its applications: look for them, look at them, take them along. */
export interface ApplicationFinding {
  page(advertiserId: number, filter: ApplicationFilter, position: Position): Promise<FoundPage>
  /**
   * Every match up to the newest of this moment, newest first, in chunks. The first is read before this resolves:
   * what fails until then can still be told properly. `beforeMore` is asked when it is not all.
   */
  all(
    advertiserId: number,
    filter: ApplicationFilter,
    beforeMore?: () => Promise<void>,
  ): Promise<AsyncIterable<FoundApplication[]>>
  /** Rejects with `not-found` when the advertiser has no such application. */
  detail(advertiserId: number, applicationId: number | undefined): Promise<ApplicationDetail>
  /** The application itself need not be one that the filter finds. */
  neighbours(advertiserId: number, applicationId: number, filter: ApplicationFilter): Promise<Neighbours>
  /** The questionnaire of an answered one as it is now; undefined when the advertiser has none of this ID. */
  screenNow(advertiserId: number, screenId: string): Promise<StoredScreen | undefined>
  /** Newest first. */
  adChoices(advertiserId: number): Promise<AdChoice[]>
}
