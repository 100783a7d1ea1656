import type { EpochMs } from '../platform/core/clock.ts'

/** A version of a company's privacy notice. */
export interface PrivacyNotice {
  version: number
  /** Null if the notice is a text stored here. */
  url: string | null
  createdAt: EpochMs
}

/** URL of the notice. */
export const privacyNoticeHref = (
  advertiserId: number,
  { version, url }: Pick<PrivacyNotice, 'version' | 'url'>,
): string => url ?? `/companies/${advertiserId}/privacy/${version}`
