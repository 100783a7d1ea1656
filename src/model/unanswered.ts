import type { EpochMs } from '../platform/core/clock.ts'
import type { ApplicationStatus } from './application-status.ts'

/**
 * Statuses that tell candidates of no decision or next step: an application that has had no other status has no answer.
 */
export const unansweredStatuses = ['new', 'seen'] as const satisfies readonly ApplicationStatus[]

/** Days after which an application counts as unanswered, unless the company has chosen another number. */
export const standardAnswerDays = 45
/** Limit: Days without an answer that a company can choose. */
export const maxAnswerDays = 365

/** Applications sent before this time should have an answer by now. */
export const answerDueBefore = (now: EpochMs, days: number): EpochMs => now - days * 86_400_000
