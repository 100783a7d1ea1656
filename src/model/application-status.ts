import type { EpochMs } from '../platform/core/clock.ts'

/** Statuses that a company can give an application, in the order of a selection. */
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

/** Only the candidate can withdraw an application, which then keeps that status. */
export const statuses = [...chosenStatuses, 'withdrawn'] as const
export type ApplicationStatus = (typeof statuses)[number]

/** Labels shown to the company. */
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

/** Labels shown to the candidate. */
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

/** The API's word for each status. */
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

/** The states that a program may report. Only the candidate can withdraw. */
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
 * Below 0 if the application's other state wins, 0 if both are equal. The later state wins; at the same time, the state
 * that comes later in the order of reportable states.
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

/** Labels shown to people. */
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

/** A candidate's last application for an ad; one that was not withdrawn comes before withdrawn ones. */
export interface LastApplication {
  submittedAt: EpochMs
  isWithdrawn: boolean
  /** Null if it was not withdrawn, or has since been erased. */
  withdrawnAt: EpochMs | null
}

/** Opening an application is not a decision. */
export function isDecision(status: ApplicationStatus): boolean {
  return decisions.includes(status)
}

const decisions: readonly ApplicationStatus[] = ['shortlisted', 'interview', 'offer', 'not-suitable', 'hired']

/** The status changes of which a company lets its candidates be notified by email. */
export const emailChoices = ['decisions', 'everything', 'nothing'] as const
export type EmailChoice = (typeof emailChoices)[number]

export const isEmailed = (choice: EmailChoice, status: ApplicationStatus): boolean =>
  choice === 'everything' || (choice === 'decisions' && isDecision(status))
