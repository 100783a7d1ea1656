import type { EpochMs } from '../core/clock.ts'

/** Something that must reach the outside world, such as an email: see decision 060. */
export interface NewDelivery {
  id: string
  /** Decides which courier takes it. */
  kind: string
  /** JSON */
  content: string
  /** No attempt starts after this time. */
  giveUpAt: EpochMs
}

/** A delivery that this process alone may attempt until `claimedUntil`. */
export interface ClaimedDelivery extends NewDelivery {
  /** Number of this attempt, from 1. */
  attempt: number
  createdAt: EpochMs
  claimedUntil: EpochMs
}

export type DeliveryOutcome =
  | { outcome: 'sent' }
  /** There is nothing to deliver any longer. */
  | { outcome: 'dropped' }
  /** `isUnavailable`: the other side as a whole, so that further attempts should wait, too. */
  | { outcome: 'retry'; words: string; isUnavailable: boolean }
  | { outcome: 'dead'; words: string }

/** Delivers one kind at least once: a repeated attempt has the same ID, which the other side can recognise. */
export interface Courier {
  deliver(delivery: ClaimedDelivery): Promise<DeliveryOutcome>
  /** True if the content names a person, so that it is removed as soon as the delivery has ended. */
  isPersonal?: boolean
}

/** `held`: it waited when the database was set back, and may have been sent; an operator decides. */
export type DeliveryState = 'waiting' | 'sent' | 'dead' | 'held'

export interface ListedDelivery {
  id: string
  kind: string
  state: DeliveryState
  attempts: number
  createdAt: EpochMs
  dueAt: EpochMs
  endedAt: EpochMs | null
  fault: string | null
}

export interface DeliveryCounts {
  waiting: number
  /** When the oldest of them was written. */
  oldestAt: EpochMs | null
  dead: number
  held: number
}

/** By their IDs, or all in a state. */
export type ChosenDeliveries = readonly string[] | 'dead' | 'held'

export interface DeliveryStore {
  add(deliveries: readonly NewDelivery[], now: EpochMs): Promise<void>
  /** Claims deliveries that are due, oldest first, by moving their time: no two processes claim the same one. */
  claim(kinds: readonly string[], now: EpochMs, until: EpochMs, most: number): Promise<ClaimedDelivery[]>
  /** Undefined if it is not due, or another process has claimed it. */
  claimOne(id: string, now: EpochMs, until: EpochMs): Promise<ClaimedDelivery | undefined>
  /** These three do nothing unless the claim is still the latest. */
  retry(claimed: ClaimedDelivery, dueAt: EpochMs, fault: string): Promise<void>
  end(
    claimed: ClaimedDelivery,
    ended: { state: 'sent' | 'dead'; at: EpochMs; fault: string | null; forgetsContent: boolean },
  ): Promise<void>
  remove(claimed: ClaimedDelivery): Promise<void>
  /** Removes waiting deliveries that have been due since that time, and returns how many. */
  dropUnclaimed(kinds: readonly string[], dueBefore: EpochMs, most: number): Promise<number>
  counts(): Promise<DeliveryCounts>
  /** Newest first. */
  list(states: readonly DeliveryState[], most: number): Promise<ListedDelivery[]>
  /**
   * Makes deliveries due at once, those that did not wait until `giveUpAt`; a delivery whose content is gone stays
   * dead. Returns how many.
   */
  retryNow(chosen: ChosenDeliveries, now: EpochMs, giveUpAt: EpochMs): Promise<number>
  drop(chosen: ChosenDeliveries): Promise<number>
}
