import type { EpochMs } from '../core/clock.ts'

/** A message to the outside world, such as an email: see decision 060. */
export interface NewDelivery {
  id: string
  /** Selects the handler. */
  kind: string
  /** JSON */
  content: string
  /** No attempt starts after this time. */
  giveUpAt: EpochMs
  /** The first attempt is not made before this time; immediately if undefined. */
  dueAt?: EpochMs
}

/** A delivery that only this process may attempt until `claimedUntil`. */
export interface ClaimedDelivery extends NewDelivery {
  /** Number of this attempt, counted from 1. */
  attempt: number
  createdAt: EpochMs
  claimedUntil: EpochMs
}

export type DeliveryOutcome =
  | { outcome: 'sent' }
  /** The delivery is no longer needed. */
  | { outcome: 'dropped' }
  /** `isUnavailable`: the destination as a whole is unavailable, so other attempts should wait as well. */
  | { outcome: 'retry'; words: string; isUnavailable: boolean }
  | { outcome: 'dead'; words: string }
  /** The delivery becomes part of another one, which is due later. */
  | { outcome: 'gathered'; into: GatheredDelivery }

/** A delivery that collects others until it is due. */
export interface GatheredDelivery extends Omit<NewDelivery, 'content'> {
  dueAt: EpochMs
  /** Adds this content to its own; `content` is undefined for the first. */
  add(content: string | undefined): string
}

/** Delivers one kind at least once: a repeated attempt has the same ID, which the receiver can recognise. */
export interface DeliveryHandler {
  deliver(delivery: ClaimedDelivery): Promise<DeliveryOutcome>
  /** True if the content names a person, so that it is removed as soon as the delivery has ended. */
  isPersonal?: boolean
}

/** `held`: it was waiting when the database was restored, and may have been sent; an operator must decide. */
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
  /** When the oldest of these deliveries was written. */
  oldestAt: EpochMs | null
  dead: number
  held: number
}

/** Deliveries by ID, or all in a state. */
export type ChosenDeliveries = readonly string[] | 'dead' | 'held'
