import type { EpochMs } from '../clock.ts'

/** Who has what only one may have at a time: a task, a slot. Each call is one statement. */
export interface LeaseStore {
  /**
   * False while somebody else has it and their time is not over. All leases of one kind last equally long: one that
   * reaches more than twice as far as this one would was taken by a clock that was ahead, and counts as over.
   */
  take(name: string, holder: string, now: EpochMs, until: EpochMs): Promise<boolean>
  /** False when somebody else has taken it in the meantime. */
  renew(name: string, holder: string, until: EpochMs): Promise<boolean>
  release(name: string, holder: string): Promise<void>
}
