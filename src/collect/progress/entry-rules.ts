import {
  type ApplicationStatus,
  type ChosenStatus,
  compareStates,
  type ProgressReason,
} from '../../model/application-status.ts'
import type { EntryOutcome } from '../../model/progress-report.ts'
import type { EpochMs } from '../../platform/core/clock.ts'

/** What a program says about an application. */
export interface ReportedEntry {
  applicationId: number
  to: ChosenStatus
  /** When it happened there. */
  at: EpochMs
  label: string | null
  reason: ProgressReason | null
  /** Whether the candidate may be told by email. */
  tells: boolean
}

interface Application {
  id: number
  status: ApplicationStatus
  submittedAt: EpochMs
}

/** One change of an application, to be written. `from` and `to` are the same if only the time moves. */
export interface Step<A extends Application = Application> {
  application: A
  from: ApplicationStatus
  to: ChosenStatus
  /** The time with which it counts. */
  at: EpochMs
  label?: string | null
  reason?: ProgressReason | null
  tells: boolean
}

/**
 * Decides each entry in its order. Of two entries the one with the later time wins, and of those with equal times the later
 * state, from any sender: so any order of arrival and any repetition end in the same state.
 */
export function applyEntries<A extends Application>(
  entries: readonly ReportedEntry[],
  known: {
    applications: readonly A[]
    /** The time of the status of each; without one, the status came with the application. */
    times: ReadonlyMap<number, EpochMs>
    /** Applications whose history takes no more. */
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
    // Nothing is known of an application before it was sent.
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
