import type { StoredPeriod } from '../../model/retention.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database } from '../../platform/database/tables.ts'
import { sameApplication } from '../../schema/same-application.ts'

/** The values that determine how long one application is kept. */
export interface KeptApplication {
  submittedAt: EpochMs
  /** Null for the operator's time zone. */
  timeZone: string | null
  stored: StoredPeriod
  /** When it is erased because of a withdrawal or another plan. */
  plannedAt: EpochMs | null
  isOnHold: boolean
  /** The last day for which the candidate lets the company keep it for other jobs; null: none. */
  keptUntil: string | null
}

export type OwnRetentionStore = ReturnType<typeof createOwnRetentionStore>

export function createOwnRetentionStore({ reader }: Database) {
  return {
    /** One of the candidate's own applications; undefined once it has been erased. */
    async find(candidateId: string, applicationId: number): Promise<KeptApplication | undefined> {
      const own = await reader
        .selectFrom('own_applications as own')
        .innerJoin('advertisers as advertiser', 'advertiser.id', 'own.advertiser_id')
        .select(['own.advertiser_id', 'own.submitted_at as submittedAt', 'advertiser.time_zone as timeZone'])
        .select(['advertiser.retention_choice', 'advertiser.retention_months'])
        .select(['advertiser.next_retention_months', 'advertiser.retention_changes_at'])
        .where('own.candidate_id', '=', candidateId)
        .where('own.application_id', '=', applicationId)
        .executeTakeFirst()
      if (own === undefined) return undefined
      // Separate, because in one join the planner would look up by ID alone, which is first in no index.
      const kept = await reader
        .selectFrom('applications as application')
        .leftJoin('application_holds as hold', join => sameApplication(join, 'hold', 'application'))
        .leftJoin('erasures as erasure', join => sameApplication(join, 'erasure', 'application'))
        .leftJoin('kept_applications as kept', join => sameApplication(join, 'kept', 'application'))
        .select(['erasure.due_at as plannedAt', 'hold.placed_at', 'kept.until as keptUntil'])
        .where('application.advertiser_id', '=', own.advertiser_id)
        .where('application.id', '=', applicationId)
        .where('application.erased_at', 'is', null)
        .executeTakeFirst()
      if (kept === undefined) return undefined
      return {
        submittedAt: own.submittedAt,
        timeZone: own.timeZone,
        plannedAt: kept.plannedAt,
        keptUntil: kept.keptUntil,
        isOnHold: kept.placed_at !== null,
        stored: {
          choice: own.retention_choice,
          months: own.retention_months,
          next: own.next_retention_months,
          changesAt: own.retention_changes_at,
        },
      }
    },
  }
}
