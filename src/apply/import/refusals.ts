import type { EpochMs } from '../../platform/core/clock.ts'

/** `line` means that the line itself is invalid. The other codes concern the advertiser, and so all of its lines. */
export type RefusalCode = 'line' | 'unknown-advertiser' | 'newer-application'
export type AdvertiserObjection = Exclude<RefusalCode, 'line'>

export interface Refusal {
  line: number
  code: RefusalCode
  reason: string
}

/**
 * Returns why the advertiser cannot accept an application of this date, or undefined. `newest` is the date of its
 * newest application: null if it has none, undefined if the advertiser does not exist. `hasBegun` means that it has
 * already received applications from the same file.
 */
export function objectionTo(
  newest: EpochMs | null | undefined,
  at: EpochMs,
  hasBegun: boolean,
): AdvertiserObjection | undefined {
  if (newest === undefined) return 'unknown-advertiser'
  if (newest === null) return undefined
  // Dates must never decrease with IDs, and a new application gets a higher ID, so its date must not be earlier. An
  // equal date is fine within one file; from another file, it is probably the same line in an edited copy.
  return newest > at || (newest === at && !hasBegun) ? 'newer-application' : undefined
}

export function refuseForAdvertiser(
  line: number,
  advertiserId: number,
  objection: AdvertiserObjection,
): Refusal {
  const reason =
    objection === 'unknown-advertiser'
      ? `There is no advertiser ${advertiserId}.`
      : `Advertiser ${advertiserId} already has applications as new as this history or newer. Either the history was imported before, or it is too late to import it, because dates must not decrease with IDs.`
  return { line, code: objection, reason }
}
