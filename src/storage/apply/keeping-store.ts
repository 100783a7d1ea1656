import type { KeepingStore } from '../../apply/form/keeping-ports.ts'
import type { Database } from '../database/tables.ts'

export function createKeepingStore({ reader }: Database): KeepingStore {
  return {
    async find(candidateId, applicationId) {
      const row = await reader
        .selectFrom('own_applications as own')
        .innerJoin('advertisers as advertiser', 'advertiser.id', 'own.advertiser_id')
        .innerJoin('applications as application', join =>
          join
            .onRef('application.advertiser_id', '=', 'own.advertiser_id')
            .onRef('application.id', '=', 'own.application_id'),
        )
        .leftJoin('application_holds as hold', join =>
          join
            .onRef('hold.advertiser_id', '=', 'own.advertiser_id')
            .onRef('hold.application_id', '=', 'own.application_id'),
        )
        .leftJoin('erasures as erasure', join =>
          join
            .onRef('erasure.advertiser_id', '=', 'own.advertiser_id')
            .onRef('erasure.application_id', '=', 'own.application_id'),
        )
        .select(['own.submitted_at as submittedAt', 'advertiser.time_zone as timeZone'])
        .select(['advertiser.retention_choice', 'advertiser.retention_months'])
        .select(['advertiser.next_retention_months', 'advertiser.retention_changes_at'])
        .select(['erasure.due_at as plannedAt', 'hold.placed_at'])
        .where('own.candidate_id', '=', candidateId)
        .where('own.application_id', '=', applicationId)
        .where('application.erased_at', 'is', null)
        .executeTakeFirst()
      if (row === undefined) return undefined
      return {
        submittedAt: row.submittedAt,
        timeZone: row.timeZone,
        plannedAt: row.plannedAt,
        isOnHold: row.placed_at !== null,
        stored: {
          choice: row.retention_choice,
          months: row.retention_months,
          next: row.next_retention_months,
          changesAt: row.retention_changes_at,
        },
      }
    },
  }
}
