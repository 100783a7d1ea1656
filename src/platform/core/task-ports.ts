import type { EpochMs } from './clock.ts'

/** Limit: Rows removed in one statement: it holds the shared write lock for some milliseconds. */
export const expiryBatch = 500

/**
 * Called between two batches; renews the lease. Returns false if the process is stopping or another process has taken the
 * task over: the rest is left for the next run.
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
 * Background work. Must be safe when two processes do it at once: the lease only avoids duplicate work, because a process
 * that was suspended may still believe in an expired one.
 */
export interface Task {
  name: string
  everySeconds: number
  run(goesOn: GoesOn): Promise<WorkDone>
}

/** How a task ended; `held` runs of other processes are not recorded. */
export interface TaskRun {
  name: string
  startedAt: EpochMs
  endedAt: EpochMs
  outcome: 'done' | 'failed'
  detail: WorkDone
  everySeconds: number
}

export interface ListedTaskRun extends TaskRun {
  /** The last failure, also if later runs have succeeded. */
  failedAt: EpochMs | null
  fault: string | null
  /** While a process is running it. */
  heldUntil: EpochMs | null
}

/** How far a change of many rows is that a migration has begun. */
export interface ChangeProgress {
  /** Name of the migration. */
  name: string
  /** Changed, of those that there were when it began; undefined before that. */
  rows: number
  of: number | undefined
  /** Running processes whose release still writes the old form: it begins when they have stopped. */
  waitsFor: string[]
  isDone: boolean
}

/** For work that removes things by age: see steady-time-service.ts. */
export interface SteadyTime {
  /** How long the service has run. */
  runningMs: number
  /** Running time until things are removed by age again; 0: now. */
  pausedMs: number
  /** How far the clock had moved when it came into doubt. */
  doubtMs: number
}

export type LookAtTime = () => Promise<SteadyTime>
