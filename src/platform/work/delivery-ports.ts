import type { EpochMs } from '../core/clock.ts'

/** Something that must reach the outside world, such as an email: see decision 060. */
export interface NewDelivery {
  id: string
  /** Decides which handler takes it. */
  kind: string
  /** JSON */
  content: string
  /** No attempt starts after this time. */
  giveUpAt: EpochMs
  /** The first attempt is not before this time; at once without it. */
  dueAt?: EpochMs
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
  /** `isUnavailable`: the other side as a whole, so that other attempts should wait as well. */
  | { outcome: 'retry'; words: string; isUnavailable: boolean }
  | { outcome: 'dead'; words: string }
  /** It becomes part of another delivery, which is due later. */
  | { outcome: 'gathered'; into: GatheredDelivery }

/** A delivery that takes up others until it is due. */
export interface GatheredDelivery extends Omit<NewDelivery, 'content'> {
  dueAt: EpochMs
  /** Its content with this one; `content` is undefined for the first. */
  add(content: string | undefined): string
}

/** Delivers one kind at least once: a repeated attempt has the same ID, which the other side can recognise. */
export interface DeliveryHandler {
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
