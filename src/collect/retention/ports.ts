import type { EpochMs } from '../../core/clock.ts'
import type { StoredPeriod } from '../../model/retention.ts'

export interface CompanyPeriod {
  advertiserId: number
  name: string
  /** Null for the operator's time zone. */
  timeZone: string | null
  stored: StoredPeriod
  /** Whether it has no application left to erase. */
  isEmpty: boolean
}

/** Applications sent before a moment that have not been erased. */
export interface KeptBefore {
  count: number
  oldestAt: EpochMs | null
  /** Those on hold, which are not counted above. */
  onHold: number
}

export interface RetentionStore {
  /** In the order of their IDs, starting after `after`. */
  companies(after: number, limit: number): Promise<CompanyPeriod[]>
  find(advertiserId: number): Promise<CompanyPeriod | undefined>
  /**
   * Changes the period in one step with the emails that announce it: `change` gets the current state. Discards what the
   * former period has made due. Undefined if there is no such advertiser.
   */
  update(
    advertiserId: number,
    change: (company: CompanyPeriod) => StoredPeriod,
    now: EpochMs,
  ): Promise<CompanyPeriod | undefined>
  /** Companies with a shorter period to come whose admins could not be told: all their addresses refuse emails. Of all, or this one. */
  untold(now: EpochMs, limit: number, advertiserId?: number): Promise<number[]>
  keptBefore(advertiserId: number, before: EpochMs): Promise<KeptBefore>
  /**
   * Makes up to `limit` applications due that were sent before that moment and are not on hold; returns how many. None
   * if so many months are no longer the period in force.
   */
  planErasures(
    advertiserId: number,
    period: { before: EpochMs; months: number },
    now: EpochMs,
    limit: number,
  ): Promise<number>
}

export interface Hold {
  reason: string
  placedAt: EpochMs
  /** Null: the operator. */
  placedBy: string | null
  /** Null if the account no longer exists, or has no name. */
  placedByName: string | null
}

export interface HoldStore {
  find(advertiserId: number, applicationId: number): Promise<Hold | undefined>
  /** Of one advertiser, or of all, in the order of their IDs. */
  list(advertiserId: number | undefined): Promise<(Hold & { advertiserId: number; applicationId: number })[]>
  place(
    advertiserId: number,
    applicationId: number,
    hold: Pick<Hold, 'reason' | 'placedAt' | 'placedBy'>,
  ): Promise<'placed' | 'already' | 'erased' | 'missing'>
  /** False if it was not on hold. */
  release(
    advertiserId: number,
    applicationId: number,
    by: { actorId: string | null; at: EpochMs },
  ): Promise<boolean>
}
