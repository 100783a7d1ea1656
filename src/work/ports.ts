import type { EpochMs } from '../core/clock.ts'

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

export interface TaskRunStore {
  record(run: TaskRun & { fault?: string }): Promise<void>
  list(): Promise<ListedTaskRun[]>
}

/** How far a change of many rows is that a migration has begun. */
export interface ChangeProgress {
  /** Of the migration. */
  name: string
  /** Changed, of those that there were when it began; undefined before that. */
  rows: number
  of: number | undefined
  /** Running processes whose release still writes the old form: it begins when they have stopped. */
  waitsFor: string[]
  isDone: boolean
}

/** Removes expired rows, at most `most` per call, and returns how many. */
export interface ExpiryStore {
  removeTokens(now: EpochMs, most: number): Promise<number>
  /** Those that expired before that time, except codes whose token is still valid. */
  removeCodes(overBefore: EpochMs, now: EpochMs, most: number): Promise<number>
  removeSessions(now: EpochMs, most: number): Promise<number>
  removeLinks(now: EpochMs, most: number): Promise<number>
  removeInvitations(now: EpochMs, most: number): Promise<number>
  /** Accounts created before that time that can no longer be confirmed. */
  removeUnconfirmed(madeBefore: EpochMs, most: number): Promise<number>
  /** Counts of hours before this one. */
  removeMailCounts(hour: number, most: number): Promise<number>
  removeSignInFailures(lastBefore: EpochMs, most: number): Promise<number>
  removeKnownBrowsers(lastBefore: EpochMs, most: number): Promise<number>
  removeIntakeKeys(now: EpochMs, most: number): Promise<number>
  /** Deliveries that ended before that time. */
  removeDeliveries(endedBefore: EpochMs, most: number): Promise<number>
  removeSentForms(now: EpochMs, most: number): Promise<number>
  removeRateCounts(now: EpochMs, most: number): Promise<number>
  /** Of days before this one (YYYY-MM-DD). */
  removeEvents(before: EpochMs, most: number): Promise<number>
  removeReads(firstKept: string, most: number): Promise<number>
  removeListReads(firstKept: string, most: number): Promise<number>
  removeAgentCalls(firstKept: string, most: number): Promise<number>
  /** Those that expired before that time. */
  removeLeases(overBefore: EpochMs, most: number): Promise<number>
}
