import type { EpochMs } from '../platform/core/clock.ts'

/** A version of a company's privacy notice. */
export interface PrivacyNotice {
  version: number
  /** Null: a text, which is kept here. */
  url: string | null
  createdAt: EpochMs
}

/** Where the notice can be read. */
export const privacyNoticeHref = (
  advertiserId: number,
  { version, url }: Pick<PrivacyNotice, 'version' | 'url'>,
): string => url ?? `/companies/${advertiserId}/privacy/${version}`
