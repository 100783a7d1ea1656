import type { EpochMs } from '../core/clock.ts'

/** What a company can say about an application, in the order of a selection. */
export const chosenStatuses = ['new', 'seen', 'shortlisted', 'not-suitable', 'hired'] as const
export type ChosenStatus = (typeof chosenStatuses)[number]

/** Only the candidate withdraws, and a withdrawn application keeps that status. */
export const statuses = [...chosenStatuses, 'withdrawn'] as const
export type ApplicationStatus = (typeof statuses)[number]

/** What the company reads. */
export const statusLabels: Record<ApplicationStatus, string> = {
  new: 'New',
  seen: 'Seen',
  shortlisted: 'Shortlisted',
  'not-suitable': 'Not suitable',
  hired: 'Hired',
  withdrawn: 'Withdrawn',
}

/** What the candidate reads. */
export const candidateStatusLabels: Record<ApplicationStatus, string> = {
  new: 'Received',
  seen: 'Opened',
  shortlisted: 'Shortlisted',
  'not-suitable': 'Not successful',
  hired: 'Hired',
  withdrawn: 'Withdrawn',
}

/** How a candidate last applied for an ad; one that was not withdrawn comes before those that were. */
export interface LastApplication {
  submittedAt: EpochMs
  isWithdrawn: boolean
  /** Null if it was not withdrawn, or has been erased since. */
  withdrawnAt: EpochMs | null
}

/** What a candidate can be told by email; opening an application is none. */
export function isDecision(status: ApplicationStatus): boolean {
  return status === 'shortlisted' || status === 'not-suitable' || status === 'hired'
}
