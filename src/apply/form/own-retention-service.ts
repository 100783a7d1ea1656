import {
  chosenMonths,
  dueAt,
  keepUntil,
  periodAt,
  type RetentionBounds,
  resolvePeriod,
} from '../../model/retention.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { dayIn, zoneOr } from '../../platform/core/time/time-zone.ts'
import type { OwnRetentionStore } from './own-retention-store.ts'

/** How long a candidate's application is kept. */
export interface RetentionOfOne {
  /** The last day in the company's time zone, such as 2027-11-14; null: no end. */
  until: string | null
  /** Kept for a dispute, regardless of the day. */
  isOnHold: boolean
  /** The last day for which the candidate lets the company keep it for other jobs; null: none, or no longer. */
  keptUntil: string | null
}

export type OwnRetention = ReturnType<typeof createOwnRetention>

/** Informs candidates how long a company keeps an application, before and after they send it. */
export function createOwnRetention(deps: {
  store: OwnRetentionStore
  bounds: RetentionBounds
  /** The operator's time zone. */
  timeZone: string
  clock: Clock
}) {
  const { store, bounds, clock } = deps
  return {
    /** Months for which an application sent now is kept, by its company's choice; null: no end. */
    monthsOf: (choice: number | null): number | null => chosenMonths(choice, bounds),

    /** The last day of a consent given now; null: the company asks for none. */
    keepUntilOf: (months: number | null, timeZone: string): string | null =>
      months === null ? null : keepUntil(clock(), months, timeZone),

    async of(candidateId: string, applicationId: number): Promise<RetentionOfOne | undefined> {
      const found = await store.find(candidateId, applicationId)
      if (found === undefined) return undefined
      const { submittedAt, stored, plannedAt, isOnHold, keptUntil } = found
      const timeZone = zoneOr(found.timeZone, deps.timeZone)
      const now = clock()
      const period = periodAt(resolvePeriod(stored, bounds, { now, isEmpty: false }), now)
      const ends = [plannedAt, dueAt(submittedAt, period, timeZone, keptUntil)].filter(end => end !== null)
      // The last moment before the end, which may be midnight.
      return {
        until: ends.length === 0 ? null : dayIn(Math.min(...ends) - 1, timeZone),
        isOnHold,
        keptUntil: keptUntil !== null && keptUntil >= dayIn(now, timeZone) ? keptUntil : null,
      }
    },
  }
}
