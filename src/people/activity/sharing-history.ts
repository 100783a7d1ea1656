import type { ChosenStatus } from '../../model/application-status.ts'
import type { EpochMs } from '../../platform/core/clock.ts'

export interface Disclosure {
  id: string
  kind: 'prefill' | 'resume'
  clientName: string
  advertiserName: string | null
  categories: number
  disclosedAt: EpochMs
}

export interface StartedApplication {
  id: string
  clientName: string
  /** Null unless the client may act for the advertiser, whose name anyone could send. */
  advertiserName: string | null
  /** Hash of the logo of the advertiser. */
  logoHash: string | null
  positionTitle: string | null
  createdAt: EpochMs
  completedAt: EpochMs | null
  /** The status that the website reported; null if it has reported none. */
  state: ChosenStatus | null
}

/** A website's latest report about an application. */
export interface Reported {
  clientName: string
  advertiserName: string | null
  positionTitle: string | null
  state: ChosenStatus
  at: EpochMs
}

/** Everything that a website has received, under its active consent or under ended ones. */
export interface Received {
  /** ID of the latest consent. */
  grantId: string
  clientName: string
  logoHash: string | null
  advertiserId: number | null
  advertiserName: string | null
  categories: number
  lastAt: EpochMs
  /** When the candidate withdrew the latest consent. */
  endedAt: EpochMs | null
}
