import type { KeepingStore } from '../../apply/form/keeping-ports.ts'
import type { Database } from '../database/tables.ts'

export function createKeepingStore({ reader }: Database): KeepingStore {
  return {
    async find(candidateId, applicationId) {
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
      // Apart, because in one join the planner would look up by ID alone, which no index begins with.
      const kept = await reader
        .selectFrom('applications as application')
        .leftJoin('application_holds as hold', join =>
          join
            .onRef('hold.advertiser_id', '=', 'application.advertiser_id')
            .onRef('hold.application_id', '=', 'application.id'),
        )
        .leftJoin('erasures as erasure', join =>
          join
            .onRef('erasure.advertiser_id', '=', 'application.advertiser_id')
            .onRef('erasure.application_id', '=', 'application.id'),
        )
        .select(['erasure.due_at as plannedAt', 'hold.placed_at'])
        .where('application.advertiser_id', '=', own.advertiser_id)
        .where('application.id', '=', applicationId)
        .where('application.erased_at', 'is', null)
        .executeTakeFirst()
      if (kept === undefined) return undefined
      return {
        submittedAt: own.submittedAt,
        timeZone: own.timeZone,
        plannedAt: kept.plannedAt,
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
