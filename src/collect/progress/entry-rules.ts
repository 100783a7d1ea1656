import type { ApplicationStatus, ChosenStatus, ProgressReason } from '../../model/application-status.ts'
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

/** The time of a status, and every status that was set with that time: a repeated entry is one of them. */
export interface CurrentState {
  at: EpochMs
  statuses: ReadonlySet<ApplicationStatus>
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
  at: EpochMs
  label?: string | null
  reason?: ProgressReason | null
  tells: boolean
}

/**
 * Decides each entry in its order. Of two entries the one with the later time wins, from any sender and in any order of
 * arrival; with equal times the later arrival wins, and an entry that has arrived before changes nothing.
 */
export function applyEntries<A extends Application>(
  entries: readonly ReportedEntry[],
  known: {
    applications: readonly A[]
    current: ReadonlyMap<number, CurrentState>
    /** Applications whose history takes no more. */
    full: ReadonlySet<number>
  },
): { outcomes: EntryOutcome[]; steps: Step<A>[] } {
  const applications = new Map(known.applications.map(application => [application.id, application]))
  const states = new Map(
    known.applications.map(({ id, status, submittedAt }) => [
      id,
      { status, ...(known.current.get(id) ?? { at: submittedAt, statuses: new Set([status]) }) },
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
    if (state.status === 'withdrawn' || at < state.at) return 'superseded'
    const isSameTime = at === state.at
    if (isSameTime && state.statuses.has(to)) return state.status === to ? 'unchanged' : 'superseded'
    if (known.full.has(applicationId)) return 'full'
    steps.push({ ...entry, application, from: state.status, at })
    const statuses = new Set<ApplicationStatus>([...(isSameTime ? state.statuses : []), to])
    states.set(applicationId, { status: to, at, statuses })
    return 'applied'
  })
  return { outcomes, steps }
}
