import type { EpochMs } from '../core/clock.ts'

/** `line`: its own content is wrong. The others are about the advertiser, and so about all of its lines. */
export type RefusalCode = 'line' | 'unknown-advertiser' | 'newer-application'
export type AdvertiserObjection = Exclude<RefusalCode, 'line'>

export interface Refusal {
  line: number
  code: RefusalCode
  reason: string
}

/**
 * May the advertiser take an application of this date? `newest` is the date of its newest one, 0 while it has
 * none, and undefined when there is no such advertiser.
 */
export function objectionTo(newest: EpochMs | undefined, at: EpochMs): AdvertiserObjection | undefined {
  if (newest === undefined) return 'unknown-advertiser'
  // Dates never decrease with IDs, and what comes in now gets the higher ID.
  return newest > at ? 'newer-application' : undefined
}

export function refuseForAdvertiser(
  line: number,
  advertiserId: number,
  objection: AdvertiserObjection,
): Refusal {
  const reason =
    objection === 'unknown-advertiser'
      ? `There is no advertiser ${advertiserId}.`
      : `Advertiser ${advertiserId} has a newer application already, and dates must not decrease with IDs.`
  return { line, code: objection, reason }
}
