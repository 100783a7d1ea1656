import type { FoundPerson } from '../ports.ts'

export type Found = FoundPerson

/** What an erasure has removed. */
export interface ErasedPerson {
  applications: number
  /** Applications on hold for a dispute stay. */
  onHold: number
  /** Why an account stays: it leads a company alone, or is an operator's. */
  account: 'none' | 'deleted' | 'last-admin' | 'operator'
}
