import type { EpochMs } from '../../core/clock.ts'
import type { StoredPeriod } from '../../model/retention.ts'

/** What decides how long one application is kept. */
export interface KeptApplication {
  submittedAt: EpochMs
  /** Null for the operator's time zone. */
  timeZone: string | null
  stored: StoredPeriod
  /** When it is erased because of a withdrawal or another plan. */
  plannedAt: EpochMs | null
  isOnHold: boolean
}

export interface KeepingStore {
  /** One of the candidate's own; undefined once it has been erased. */
  find(candidateId: string, applicationId: number): Promise<KeptApplication | undefined>
}
