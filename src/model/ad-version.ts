import type { EpochMs } from '../platform/core/clock.ts'
import type { JobAdFields } from './job-ad.ts'
import type { Questionnaire } from './questionnaire.ts'

/**
 * The record of an ad each time it is published or changed. The key of a field never changes its meaning. `timeZone`:
 * the company's, in which the closing date ends.
 */
export function snapshotOf(ad: JobAdFields, questionnaire: Questionnaire | null, timeZone: string) {
  return {
    title: ad.title,
    location: ad.location,
    description: ad.description,
    reference: ad.reference,
    closingDate: ad.closingDate,
    ...(ad.closingDate !== null && { timeZone }),
    details: ad.details ?? {},
    questionnaire: questionnaire && {
      id: questionnaire.id,
      name: questionnaire.name,
      questions: questionnaire.questions,
    },
  }
}

export type AdSnapshot = ReturnType<typeof snapshotOf>

export interface AdVersion extends AdSnapshot {
  jobAdId: number
  version: number
  createdAt: EpochMs
}

export interface KeptVersion extends AdVersion {
  /** Null for the newest version. */
  replacedAt: EpochMs | null
}
