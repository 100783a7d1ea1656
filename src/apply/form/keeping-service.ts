import type { Clock } from '../../core/clock.ts'
import { dayIn } from '../../core/time/time-zone.ts'
import { chosenMonths, dueAt, periodAt, type RetentionBounds, settlePeriod } from '../../model/retention.ts'
import type { KeepingStore } from './keeping-ports.ts'

/** How long a candidate's application is kept. */
export interface Keeping {
  /** The last day in the company's time zone, such as 2027-11-14; null: no end. */
  until: string | null
  /** Kept for a dispute, whatever the day. */
  isOnHold: boolean
}

export type KeptApplications = ReturnType<typeof createKeeping>

/** Tells candidates how long a company keeps an application, before and after they send it. */
export function createKeeping(deps: {
  store: KeepingStore
  bounds: RetentionBounds
  /** The operator's. */
  timeZone: string
  clock: Clock
}) {
  const { store, bounds, clock } = deps
  return {
    /** Of an application sent now, by what its company has chosen; null: no end. */
    monthsOf: (choice: number | null): number | null => chosenMonths(choice, bounds),

    async of(candidateId: string, applicationId: number): Promise<Keeping | undefined> {
      const found = await store.find(candidateId, applicationId)
      if (found === undefined) return undefined
      const { submittedAt, stored, plannedAt, isOnHold } = found
      const timeZone = found.timeZone ?? deps.timeZone
      const now = clock()
      const period = periodAt(settlePeriod(stored, bounds, { now, isEmpty: false }), now)
      const ends = [plannedAt, dueAt(submittedAt, period, timeZone)].filter(end => end !== null)
      // The last moment before the end, which may be midnight.
      return { until: ends.length === 0 ? null : dayIn(Math.min(...ends) - 1, timeZone), isOnHold }
    },
  }
}
