import type { EpochMs } from '../../core/clock.ts'

/** `line`: its own content is wrong. The others are about the advertiser, and so about all of its lines. */
export type RefusalCode = 'line' | 'unknown-advertiser' | 'newer-application'
export type AdvertiserObjection = Exclude<RefusalCode, 'line'>

export interface Refusal {
  line: number
  code: RefusalCode
  reason: string
}

/**
 * May the advertiser take an application of this date? `newest` is the date of its newest one, null while it has
 * none, and undefined when there is no such advertiser. `hasBegun`: it has taken lines of the same file before.
 */
export function objectionTo(
  newest: EpochMs | null | undefined,
  at: EpochMs,
  hasBegun: boolean,
): AdvertiserObjection | undefined {
  if (newest === undefined) return 'unknown-advertiser'
  if (newest === null) return undefined
  // Dates never decrease with IDs, and what comes in now gets the higher ID. Equal ones are fine within a file; from
  // another one it is probably the same line again, in a file that was changed since.
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
      : `Advertiser ${advertiserId} has applications that are not older than this history: it was imported before, or it comes too late, since dates must not decrease with IDs.`
  return { line, code: objection, reason }
}
