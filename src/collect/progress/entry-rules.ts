import {
  type ApplicationStatus,
  type ChosenStatus,
  compareStates,
  type ProgressReason,
} from '../../model/application-status.ts'
import type { EntryOutcome } from '../../model/progress-report.ts'
import type { EpochMs } from '../../platform/core/clock.ts'

/** A program's report about an application. */
export interface ReportedEntry {
  applicationId: number
  to: ChosenStatus
  /** When it happened in the program. */
  at: EpochMs
  label: string | null
  reason: ProgressReason | null
  /** Whether the candidate may be notified by email. */
  tells: boolean
}

interface Application {
  id: number
  status: ApplicationStatus
  submittedAt: EpochMs
}

/** One change to write to an application. `from` and `to` are the same if only the time moves. */
export interface Step<A extends Application = Application> {
  application: A
  from: ApplicationStatus
  to: ChosenStatus
  /** The effective time. */
  at: EpochMs
  label?: string | null
  reason?: ProgressReason | null
  tells: boolean
}

/**
 * Applies the entries in their order. Of two entries, the one with the later time wins; if the times are equal, the one
 * with the later state, whoever sent it. So any order of arrival and any repetition lead to the same state.
 */
export function applyEntries<A extends Application>(
  entries: readonly ReportedEntry[],
  known: {
    applications: readonly A[]
    /** The time of each application's status; if absent, the status came with the application. */
    times: ReadonlyMap<number, EpochMs>
    /** Applications whose history is full. */
    full: ReadonlySet<number>
  },
): { outcomes: EntryOutcome[]; steps: Step<A>[] } {
  const applications = new Map(known.applications.map(application => [application.id, application]))
  const states = new Map(
    known.applications.map(({ id, status, submittedAt }) => [
      id,
      { status, at: known.times.get(id) ?? submittedAt },
    ]),
  )
  const steps: Step<A>[] = []
  const outcomes = entries.map(({ applicationId, ...entry }): EntryOutcome => {
    const application = applications.get(applicationId)
    const state = states.get(applicationId)
    if (application === undefined || state === undefined) return 'not-found'
    const { to } = entry
    // Nothing happened to an application before it was sent.
    const at = Math.max(entry.at, application.submittedAt)
    const order = compareStates({ status: to, at }, state)
    if (state.status === 'withdrawn' || order < 0) return 'superseded'
    if (order === 0) return 'unchanged'
    if (known.full.has(applicationId)) return 'full'
    steps.push({ ...entry, application, from: state.status, at })
    states.set(applicationId, { status: to, at })
    return 'applied'
  })
  return { outcomes, steps }
}
