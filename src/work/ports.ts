import type { EpochMs } from '../core/clock.ts'

/**
 * Asked between two batches: may the task go on? It keeps the lease alive on the way. False when the process is
 * about to stop, or when somebody else has taken the task over: the rest is for the next time.
 */
export type GoesOn = () => Promise<boolean>

/** How many of what. */
export type Counts = Record<string, number>

export interface WorkDone {
  did: Counts
  /** What could not be done this time. */
  left?: Counts
}

/**
 * Work that no request waits for. It must be harmless when two processes do it at the same moment: a lease only
 * spares double work, because a process that was asleep believes in one that is over.
 */
export interface Task {
  name: string
  everySeconds: number
  run(goesOn: GoesOn): Promise<WorkDone>
}

/** Forgets what is over, whoever had it: at most `most` rows in a call, and says how many. */
export interface ExpiryStore {
  removeTokens(now: EpochMs, most: number): Promise<number>
  /** Those that were over before that time, but none whose token still lives. */
  removeCodes(overBefore: EpochMs, now: EpochMs, most: number): Promise<number>
  removeSessions(now: EpochMs, most: number): Promise<number>
  removeLinks(now: EpochMs, most: number): Promise<number>
  removeInvitations(now: EpochMs, most: number): Promise<number>
  /** Accounts that were made before that time, and that nobody can confirm any more. */
  removeUnconfirmed(madeBefore: EpochMs, most: number): Promise<number>
  /** Counts of hours before this one. */
  removeMailCounts(hour: number, most: number): Promise<number>
  removeSignInFailures(lastBefore: EpochMs, most: number): Promise<number>
  removeKnownBrowsers(lastBefore: EpochMs, most: number): Promise<number>
  removeIntakeKeys(now: EpochMs, most: number): Promise<number>
  removeSentForms(now: EpochMs, most: number): Promise<number>
  removeRateCounts(now: EpochMs, most: number): Promise<number>
  /** Those that were over before that time. */
  removeLeases(overBefore: EpochMs, most: number): Promise<number>
}
