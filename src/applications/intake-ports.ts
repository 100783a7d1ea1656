import type { AdvertiserStatus } from '../advertisers/rules.ts'
import type { EpochMs } from '../core/clock.ts'
import type { NewApplication } from './new-application.ts'
import type { Receipt } from './ports.ts'

/** Whom a job board may act for. */
export interface IntakeDirectory {
  /** Undefined when the advertiser is not listed on the client, or does not exist. */
  statusOf(clientId: string, advertiserId: number): Promise<AdvertiserStatus | undefined>
}

export interface IntakeAccess {
  /** Throws unless the advertiser is listed on the client at this moment, and active. */
  assertMayActFor(clientId: string, advertiserId: number): Promise<void>
}

/** A key as one request holds it; `claim` is that request's own. */
export interface KeyClaim {
  clientId: string
  key: string
  claim: string
}

export interface SavedAnswer {
  contentHash: string
  answer: string
}

/** Keys are their client's: no question reaches over to another's. */
export interface IntakeStore {
  /**
   * Gives the key to this request until `until`, unless another one has it or it has an answer. Keys and claims
   * whose time is over count as free.
   */
  claim(claim: KeyClaim, now: EpochMs, until: EpochMs): Promise<'claimed' | 'in-use' | SavedAnswer>
  /** Lets go of the key, unless it has an answer or is another request's by now. */
  release(claim: KeyClaim): Promise<void>
  /** One durable step; returns the answer. */
  add(
    advertiserId: number,
    application: NewApplication,
    now: EpochMs,
    answerOf: (receipt: Receipt) => string,
  ): Promise<string>
  /** The same, and the answer is saved in that step; undefined, and nothing done, when the claim was lost. */
  addOnce(
    advertiserId: number,
    application: NewApplication,
    now: EpochMs,
    answerOf: (receipt: Receipt) => string,
    save: KeyClaim & { contentHash: string; expiresAt: EpochMs },
  ): Promise<string | undefined>
}
