import type { EpochMs } from './clock.ts'

/** Limit: Rows removed in one statement: it holds the shared write lock for a few milliseconds. */
export const expiryBatch = 500

/**
 * Called between two batches; renews the lease. Returns false if the process is stopping or another process has taken
 * over the task: the rest is left for the next run.
 */
export type GoesOn = () => Promise<boolean>

/** Counts by kind of item. */
export type Counts = Record<string, number>

export interface WorkDone {
  did: Counts
  /** Items left for the next run. */
  left?: Counts
}

/**
 * Background work. Must be safe when two processes do it concurrently: the lease only avoids duplicate work, because a
 * process that was suspended may still believe in an expired one.
 */
export interface Task {
  name: string
  everySeconds: number
  run(goesOn: GoesOn): Promise<WorkDone>
}

/** Outcome of a task; `held` runs of other processes are not recorded. */
export interface TaskRun {
  name: string
  startedAt: EpochMs
  endedAt: EpochMs
  outcome: 'done' | 'failed'
  detail: WorkDone
  everySeconds: number
}

export interface ListedTaskRun extends TaskRun {
  /** Time of the last failure, even if later runs have succeeded. */
  failedAt: EpochMs | null
  fault: string | null
  /** Set while a process is running it. */
  heldUntil: EpochMs | null
}

/** Progress of a change to many rows that a migration has begun. */
export interface ChangeProgress {
  /** Name of the migration. */
  name: string
  /** Rows changed, out of those that existed when it began; undefined before that. */
  rows: number
  of: number | undefined
  /** Running processes whose release still writes the old form: the change begins when they have stopped. */
  waitsFor: string[]
  isDone: boolean
}

/** For work that removes data by age: see steady-time-service.ts. */
export interface SteadyTime {
  /** Time that the service has run. */
  runningMs: number
  /** Remaining running time until removal by age resumes; 0 if it is not paused. */
  pausedMs: number
  /** How far the clock had moved when it came into doubt. */
  doubtMs: number
}

export type LookAtTime = () => Promise<SteadyTime>
