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
  /** What the website says became of it; null if it has said nothing. */
  state: ChosenStatus | null
}

/** What a website said last about an application. */
export interface Reported {
  clientName: string
  advertiserName: string | null
  positionTitle: string | null
  state: ChosenStatus
  at: EpochMs
}

/** What a website has received in all, under the consent that is active or under those that have ended. */
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
