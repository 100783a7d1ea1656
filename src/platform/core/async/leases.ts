import type { EpochMs } from '../clock.ts'

/** Exclusive leases, for tasks and slots. Each call is one statement. */
export interface LeaseStore {
  /**
   * Returns false while another holder's lease is valid. All leases of one kind last equally long, so a lease that ends
   * more than twice as far ahead as the requested one was taken when the clock was ahead, and counts as expired.
   */
  take(name: string, holder: string, now: EpochMs, until: EpochMs): Promise<boolean>
  /** Returns false if another holder has taken it in the meantime. */
  renew(name: string, holder: string, until: EpochMs): Promise<boolean>
  release(name: string, holder: string): Promise<void>
}

export interface HeldLeases {
  /** Whether any holder's lease is valid. */
  isHeld(name: string, now: EpochMs): Promise<boolean>
}
