import type { EpochMs } from '../platform/core/clock.ts'

/** What a company can say about an application, in the order of a selection. */
export const chosenStatuses = [
  'new',
  'seen',
  'in-review',
  'shortlisted',
  'interview',
  'offer',
  'not-suitable',
  'hired',
] as const
export type ChosenStatus = (typeof chosenStatuses)[number]

/** Only the candidate withdraws, and a withdrawn application keeps that status. */
export const statuses = [...chosenStatuses, 'withdrawn'] as const
export type ApplicationStatus = (typeof statuses)[number]

/** What the company reads. */
export const statusLabels: Record<ApplicationStatus, string> = {
  new: 'New',
  seen: 'Seen',
  'in-review': 'In review',
  shortlisted: 'Shortlisted',
  interview: 'Interview',
  offer: 'Offer',
  'not-suitable': 'Not suitable',
  hired: 'Hired',
  withdrawn: 'Withdrawn',
}

/** What the candidate reads. */
export const candidateStatusLabels: Record<ApplicationStatus, string> = {
  new: 'Received',
  seen: 'Opened',
  'in-review': 'In review',
  shortlisted: 'Shortlisted',
  interview: 'Interview',
  offer: 'Offer',
  'not-suitable': 'Not successful',
  hired: 'Hired',
  withdrawn: 'Withdrawn',
}

/** The words of the API for each status. */
export const stateOf = {
  new: 'received',
  seen: 'viewed',
  'in-review': 'inReview',
  shortlisted: 'shortlisted',
  interview: 'interview',
  offer: 'offer',
  'not-suitable': 'notSuccessful',
  hired: 'hired',
  withdrawn: 'withdrawn',
} as const satisfies Record<ApplicationStatus, string>

/** The states that a program may report. Only the candidate withdraws. */
const reportable = {
  received: 'new',
  viewed: 'seen',
  inReview: 'in-review',
  shortlisted: 'shortlisted',
  interview: 'interview',
  offer: 'offer',
  hired: 'hired',
  notSuccessful: 'not-suitable',
} as const satisfies Record<string, ChosenStatus>
export type ReportedState = keyof typeof reportable
export const reportedStates = Object.keys(reportable) as readonly ReportedState[]
export const statusOfState = (state: ReportedState): ChosenStatus => reportable[state]

const inOrder: readonly ApplicationStatus[] = Object.values(reportable)

interface TimedStatus {
  status: ApplicationStatus
  at: EpochMs
}

/**
 * Below 0 if the other state of an application counts, 0 if both are the same: of two states the
 * later one counts, and of two with the same time the one that stands later among those that can be reported.
 */
export function compareStates(one: TimedStatus, other: TimedStatus): number {
  const rank = ({ status }: TimedStatus) => inOrder.indexOf(status)
  return one.at - other.at || rank(one) - rank(other)
}

/** Why an application was not successful. */
export const progressReasons = [
  'positionFilled',
  'positionCancelled',
  'experience',
  'skills',
  'qualifications',
  'location',
  'workRights',
  'other',
] as const
export type ProgressReason = (typeof progressReasons)[number]

/** What people read. */
export const reasonLabels: Record<ProgressReason, string> = {
  positionFilled: 'The position has been filled',
  positionCancelled: 'The position has been cancelled',
  experience: 'Experience',
  skills: 'Skills',
  qualifications: 'Qualifications',
  location: 'Location',
  workRights: 'Right to work',
  other: 'Other',
}

/** How a candidate last applied for an ad; one that was not withdrawn comes before those that were. */
export interface LastApplication {
  submittedAt: EpochMs
  isWithdrawn: boolean
  /** Null if it was not withdrawn, or has been erased since. */
  withdrawnAt: EpochMs | null
}

/** Opening an application is none. */
export function isDecision(status: ApplicationStatus): boolean {
  return decisions.includes(status)
}

const decisions: readonly ApplicationStatus[] = ['shortlisted', 'interview', 'offer', 'not-suitable', 'hired']

/** Of which changes of status a company lets its candidates be told by email. */
export const emailChoices = ['decisions', 'everything', 'nothing'] as const
export type EmailChoice = (typeof emailChoices)[number]

export const isEmailed = (choice: EmailChoice, status: ApplicationStatus): boolean =>
  choice === 'everything' || (choice === 'decisions' && isDecision(status))
